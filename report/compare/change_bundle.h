// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/compare/job_diff.h"

namespace commtap {

/// Equal changes of modules whose names differ only in numbers ("layers.0.attention", "layers.1.attention").
struct ChangeBundle {
  std::string pattern;              ///< the module names, with `*` for the numbers that differ
  std::vector<std::string> modules; ///< in the order of the changes
  CellKey first;
  Change change;         ///< the change of each module; the ranks of the first, unless they differ between the runs
  uint64_t steps = 1;    ///< training steps that both runs made; 1 if they made other numbers, or none is known
  std::string name = {}; ///< the pattern, or the numbers themselves if another bundle of the same key has the pattern
  bool per_step = false; ///< the amounts are per rank and training step; otherwise per rank and run
};

/// Bundles equal changes; the order is that of each bundle's first change. `steps` is the result of stepsOfBoth().
/// `per_step`: whether the changes are per step, except those of set-up.
std::vector<ChangeBundle> bundle(const std::vector<CellChange>& changes, uint64_t steps = 1, bool per_step = false);

} // namespace commtap
