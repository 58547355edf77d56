// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commtap {

/// Steps with one known time: merged steps count with their mean.
struct StepTime {
  uint64_t first_step = 0;
  uint64_t steps = 1;
  double ms = 0; ///< per step, on the slowest rank
};

/// Returns one line about how much step times vary, without the first steps, which compile and warm up. Returns "" for
/// too few steps.
std::string stepSpreadText(std::vector<StepTime> times);

} // namespace commtap
