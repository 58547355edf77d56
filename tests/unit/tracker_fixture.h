// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/model.h"
#include "tests/unit/child.h"

namespace commtap {

/// The tracker of this test process, shared by all tests. The first fixture starts it.
class TrackerFixture {
 public:
  TrackerFixture();

  /// Returns the report so far.
  Report report() const;
  /// Returns the rows of one op.
  std::vector<Collective> rows(std::string_view op) const;
  uint64_t notSeen(std::string_view reason) const;

  /// Runs `body` in a child with a ledger of its own, whose counts start at 0.
  static ChildResult runInTrackedChild(const std::function<void()>& body);
};

} // namespace commtap
