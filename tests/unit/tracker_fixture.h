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

/// The tracker of this test process: one for all tests, as in a job. Starts it at first use.
class TrackerFixture {
 public:
  TrackerFixture();

  /// The report as it would be written now.
  Report report() const;
  /// The rows of one op.
  std::vector<Collective> rows(std::string_view op) const;
  uint64_t notSeen(std::string_view reason) const;

  /// runInChild() with a ledger of the child's own, whose counts begin at 0.
  static ChildResult runInTrackedChild(const std::function<void()>& body);
};

} // namespace commtap
