// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commtap {

/// Steps that took as long as each other, as far as it is known: several that are added up took their mean.
struct StepTime {
  uint64_t first_step = 0;
  uint64_t steps = 1;
  double ms = 0; ///< of one, on the slowest rank
};

/// One line on how much steps differ from each other, without the first ones, which compile and warm up; "" if there
/// are too few to tell.
std::string stepSpreadText(std::vector<StepTime> times);

} // namespace commtap
