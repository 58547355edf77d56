// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/model/model.h"

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
};

} // namespace commtap
