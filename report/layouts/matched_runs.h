// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/layouts/whole_run.h"

namespace commtap {

/// A parameter of two runs.
struct MatchedParameter {
  const WholeParameter* one = nullptr;
  const WholeParameter* like = nullptr;
  bool by_norm = false; ///< the sums of one of them are of another order of the elements, or unknown
};

/// The names of parameters that are not compared, or not wholly, by the reason.
using NotCompared = std::map<std::string, std::set<std::string>>;

/// Returns the parameters that both runs have, in the order of the model. Names match whole, else without the class of
/// the model, their first component.
std::vector<MatchedParameter> matchedParameters(const WholeRun& run, const WholeRun& like, NotCompared& not_compared);

/// How far apart two tensors may be by rounding alone, by their size.
struct LayoutBounds {
  double start = 0;     ///< of first values
  double values = 0;    ///< of later ones
  double gradients = 0; ///< of their direction
  double ratios = 0;    ///< of their norms
  double noise = 0;     ///< of a gradient that may be rounding, by the largest one of a parameter
  double rates = 0;     ///< of the size of updates
  double updates = 0;   ///< of the sum of all updates: Adam turns the rounding of small gradients into whole ones
};
/// Returns the bounds of a parameter. tests/e2e/tools/test_layouts.py holds what healthy pairs have against them.
LayoutBounds layoutBounds(const WholeParameter& one, const WholeParameter& like, bool is_coarse);

/// How two tensors differ.
struct Difference {
  double ratio = 1;     ///< of the norms; negative for opposite directions
  double direction = 0; ///< the norm of the rest of a fit by the ratio, by the norm; 0 if only norms are known
  double distance = 0;  ///< the norm of their difference, by the larger norm
};
/// Returns the difference; nullopt if one of them is not known, or both are zero. `by_norm`: compares norms only.
std::optional<Difference> differenceOf(const WholeDigest& one, const WholeDigest& like, bool by_norm);

} // namespace commtap
