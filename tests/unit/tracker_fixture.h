// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/model/model.h"

namespace commtap {

/// Starts the tracker of this test process at first use. As in a job, all tests share it.
class TrackerFixture {
 public:
  TrackerFixture();

  /// Returns the report in its current state.
  Report report() const;
  /// Returns the rows of one op.
  std::vector<Collective> rows(std::string_view op) const;
  uint64_t notSeen(std::string_view reason) const;
};

} // namespace commtap
