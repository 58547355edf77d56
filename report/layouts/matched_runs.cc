// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/matched_runs.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace commtap {
namespace {

using Names = std::map<std::string, std::vector<const WholeParameter*>>;

/// Returns a name without its first component, the class of the model.
std::string withoutClass(const std::string& name) {
  return name.substr(name.find('.') == std::string::npos ? 0 : name.find('.') + 1);
}

} // namespace

std::vector<MatchedParameter> matchedParameters(const WholeRun& run, const WholeRun& like, NotCompared& not_compared) {
  std::map<std::string, const WholeParameter*> whole; // of the other run
  Names short_names;
  Names own_short_names;
  for (const WholeParameter& parameter : like.parameters) {
    whole.emplace(parameter.name, &parameter);
    short_names[withoutClass(parameter.name)].push_back(&parameter);
  }
  for (const WholeParameter& parameter : run.parameters) {
    own_short_names[withoutClass(parameter.name)].push_back(&parameter);
  }
  std::vector<MatchedParameter> matched;
  std::map<const WholeParameter*, bool> is_matched;
  for (const WholeParameter& parameter : run.parameters) {
    const std::string short_name = withoutClass(parameter.name);
    const WholeParameter* other = nullptr;
    if (whole.contains(parameter.name)) {
      other = whole[parameter.name];
    } else if (short_names[short_name].size() == 1 && own_short_names[short_name].size() == 1) {
      other = short_names[short_name].front();
    }
    if (other == nullptr || parameter.has_model_name != other->has_model_name) {
      not_compared["the other run has none of this name"].insert(parameter.name);
    } else if (!is_matched[other]) {
      matched.push_back({&parameter, other});
      is_matched[other] = true;
    }
  }
  for (const WholeParameter& parameter : like.parameters) {
    if (!is_matched[&parameter]) {
      not_compared["only the other run has one of this name"].insert(parameter.name);
    }
  }
  return matched;
}

LayoutBounds layoutBounds(const WholeParameter& one, const WholeParameter& like, bool is_coarse) {
  constexpr LayoutBounds kFloat{
      .start = 1e-5, .values = 1e-3, .gradients = 1e-3, .ratios = 1e-3, .noise = 1e-5, .rates = 0.01, .updates = 0.25};
  constexpr LayoutBounds kShort{
      .start = 1e-5, .values = 0.05, .gradients = 0.1, .ratios = 0.05, .noise = 3e-3, .rates = 0.05, .updates = 0.6};
  const auto is_fine = [](const WholeParameter& each) {
    return each.dtype.empty() || each.dtype == "float32" || each.dtype == "float64";
  };
  LayoutBounds bounds = is_fine(one) && is_fine(like) && !is_coarse ? kFloat : kShort;
  bounds.start = one.dtype == like.dtype ? bounds.start : bounds.values;
  return bounds;
}

std::optional<Difference> differenceOf(const WholeDigest& one, const WholeDigest& like, bool by_norm) {
  const bool has_sums = one.has_sums && like.has_sums && !by_norm;
  const double norm = one.norm();
  const double other = like.norm();
  if (!one.isKnown() || !like.isKnown() || (!has_sums && !(one.has_squares && like.has_squares)) ||
      std::max(norm, other) == 0) {
    return std::nullopt;
  }
  const double largest = std::max(norm, other);
  if (!has_sums || std::min(norm, other) == 0) {
    return Difference{.ratio = other > 0 ? norm / other : HUGE_VAL, .distance = std::abs(norm - other) / largest};
  }
  double product = 0;
  double squares = 0;
  double apart = 0;
  for (int j = 0; j < kDigestSums; ++j) {
    product += one.sums[j] * like.sums[j];
    squares += like.sums[j] * like.sums[j];
    apart += (one.sums[j] - like.sums[j]) * (one.sums[j] - like.sums[j]);
  }
  Difference difference;
  const bool has_norms = one.has_squares && like.has_squares;
  const double fit = squares > 0 ? product / squares : 0;
  difference.ratio = has_norms ? std::copysign(norm / other, product) : fit;
  double rest = 0;
  for (int j = 0; j < kDigestSums; ++j) {
    const double left = one.sums[j] - difference.ratio * like.sums[j];
    rest += left * left;
  }
  // Without the squares of one of them, its norm is that of the other by the fit.
  const double size = has_norms ? norm : std::abs(fit) * (like.has_squares ? other : std::sqrt(squares / kDigestSums));
  difference.direction = size > 0 ? std::sqrt(rest / kDigestSums) / size : 0;
  const double distance = std::sqrt(apart / kDigestSums) / (has_norms ? largest : std::max(size, other));
  difference.distance = std::min(distance, 2.0); // eight sums estimate a norm, and none is larger
  return difference;
}

} // namespace commtap
