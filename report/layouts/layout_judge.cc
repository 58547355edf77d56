// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/layout_judge.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "report/layouts/matched_runs.h"

namespace commtap {
namespace {

constexpr int64_t kFewestElements = 16; ///< of a tensor that has a direction: that of a number is always the same
constexpr double kDrift = 0.05;         ///< ratios of gradients after the first step, whose values may differ already
constexpr double kClear = 10;           ///< by so much of what rounding does to a direction a ratio is another one
constexpr double kSameNorm = 1e-6;      ///< norms so near are of the same elements in another order

const WholeStep* stepOf(const WholeParameter& parameter, uint64_t step) {
  const auto found = parameter.steps.find(step);
  return found == parameter.steps.end() ? nullptr : &found->second;
}

const WholeData& dataOf(const WholeRun& run, uint64_t step) {
  static const WholeData unknown{.is_known = false};
  const auto found = run.data.find(step);
  return found == run.data.end() ? unknown : found->second;
}

bool isNear(double ratio, double of, double bound) {
  return std::abs(ratio / of - 1) <= bound;
}

/// The gradients of a parameter in a step.
struct ComparedGradient {
  const MatchedParameter* parameter = nullptr;
  Difference difference;
  LayoutBounds bounds;
  bool has_direction = false; ///< its direction is known

  bool isParallel() const {
    return has_direction && difference.direction <= bounds.gradients;
  }
  bool hasRatio(double ratio) const {
    return isNear(difference.ratio, ratio, bounds.ratios);
  }
};

/// Returns the ratio that more than half of the parameters have, of those of one direction; 1 if there is none.
double usualRatio(const std::vector<ComparedGradient>& all) {
  for (const ComparedGradient& each : all) {
    const double ratio = each.difference.ratio;
    const auto has_it = [&](const ComparedGradient& other) { return other.isParallel() && other.hasRatio(ratio); };
    if (each.isParallel() && std::count_if(all.begin(), all.end(), has_it) * 2 > static_cast<int64_t>(all.size())) {
      return each.hasRatio(1) ? 1 : ratio;
    }
  }
  return 1;
}

/// Judges two runs.
class Judge {
 public:
  Judge(const WholeRun& run, const WholeRun& like, bool has_same_data)
      : run_(run), like_(like), has_same_data_(has_same_data) {
    result_.run_id = run.run_id;
    result_.like_run_id = like.run_id;
    result_.ranks = run.ranks.size();
    result_.like_ranks = like.ranks.size();
    matched_ = matchedParameters(run, like, not_compared_);
    for (const MatchedParameter& each : matched_) {
      for (const WholeParameter* parameter : {each.one, each.like}) {
        leaveOut(each, parameter->why_unknown);
      }
      for (const auto& [step, row] : each.one->steps) {
        if (stepOf(*each.like, step) != nullptr) {
          steps_.insert(step);
        }
      }
    }
  }

  /// Returns the names whose values or gradients differ in some step.
  std::set<std::string> differing() const {
    std::set<std::string> names;
    for (const uint64_t step : steps_) {
      forEach(step, [&](const MatchedParameter& each, const WholeStep& one, const WholeStep& like) {
        const LayoutBounds bounds = boundsOf(each, step);
        const auto values = differenceOf(one.value, like.value, false);
        const auto gradients = differenceOf(one.gradient, like.gradient, false);
        if ((values && values->distance > bounds.values) || (gradients && gradients->distance > bounds.gradients)) {
          names.insert(each.one->name);
        }
      });
    }
    return names;
  }

  LayoutComparison made(const std::set<std::string>& left_out) {
    compareStarts(left_out);
    if (!matched_.empty() && result_.apart.empty()) {
      judge();
    }
    std::set<std::string> compared;
    for (const MatchedParameter& each : matched_) {
      compared.insert(each.one->name);
    }
    for (const auto& [why, names] : not_compared_) {
      std::string line = *names.begin();
      line += names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more: " : ": ";
      line += why;
      const bool is_partly =
          std::any_of(names.begin(), names.end(), [&](const auto& name) { return compared.contains(name); });
      (is_partly ? result_.partly_compared : result_.not_compared).push_back(std::move(line));
    }
    return std::move(result_);
  }

 private:
  void leaveOut(const MatchedParameter& each, const std::string& why) {
    if (!why.empty()) {
      not_compared_[why].insert(each.one->name);
    }
  }
  LayoutBounds boundsOf(const MatchedParameter& each, uint64_t step) const {
    const bool is_coarse = dataOf(run_, step).has_autocast || dataOf(like_, step).has_autocast ||
                           !run_.coarse_dtype.empty() || !like_.coarse_dtype.empty();
    return layoutBounds(*each.one, *each.like, is_coarse);
  }

  /// Calls use(parameter, one, like) for each parameter that both runs have at a step, in the order of the backward.
  template <typename Use>
  void forEach(uint64_t step, const Use& use) const {
    for (auto each = matched_.rbegin(); each != matched_.rend(); ++each) {
      const WholeStep* one = stepOf(*each->one, step);
      const WholeStep* like = stepOf(*each->like, step);
      if (one != nullptr && like != nullptr) {
        use(*each, *one, *like);
      }
    }
  }

  /// Returns the first step of which both runs have a sample.
  uint64_t firstStep() const {
    return std::max(run_.data.begin()->first, like_.data.begin()->first);
  }

  /// Compares a parameter's first common sample. Returns whether the parameter is comparable.
  bool compareStart(MatchedParameter& each, std::set<std::pair<double, std::string>>& apart) {
    const auto first = std::find_if(steps_.begin(), steps_.end(), [&](uint64_t step) {
      return stepOf(*each.one, step) != nullptr && stepOf(*each.like, step) != nullptr;
    });
    if (first == steps_.end()) {
      leaveOut(each, each.one->why_unknown + each.like->why_unknown == "" ? "no step has samples in both runs" : "");
      return false;
    }
    const WholeStep& one = *stepOf(*each.one, *first);
    const WholeStep& like = *stepOf(*each.like, *first);
    if (one.elements != like.elements) {
      leaveOut(
          each,
          "all ranks together hold more or fewer elements of it than in the other run: another shape, or copies that "
          "nothing proves");
      return false;
    }
    const double bound = boundsOf(each, *first).start;
    if (one.parts != like.parts) {
      leaveOut(each, "the place of its parts is not known: norms only");
    }
    each.by_norm = !one.value.has_sums || !like.value.has_sums || one.parts != like.parts;
    std::optional<Difference> difference = differenceOf(one.value, like.value, each.by_norm);
    if (difference && !each.by_norm && difference->distance > bound &&
        isNear(std::abs(difference->ratio), 1, kSameNorm)) {
      leaveOut(each, "its elements have another order: norms only");
      each.by_norm = true;
      difference = differenceOf(one.value, like.value, true);
    }
    if (difference && difference->distance > bound && (!each.one->has_model_name || *first != firstStep())) {
      leaveOut(
          each, each.one->has_model_name ? "it has no sample before the first update" : "the model has no name for it");
      return false;
    }
    if (difference && difference->distance > bound) {
      apart.emplace(-difference->distance, each.one->name);
    }
    return true;
  }

  void compareStarts(const std::set<std::string>& left_out) {
    std::set<std::pair<double, std::string>> apart; // most first
    std::erase_if(matched_, [&](MatchedParameter& each) {
      if (left_out.contains(each.like->name)) {
        leaveOut(each, "the two runs of --like differ in it themselves");
        return true;
      }
      return !compareStart(each, apart);
    });
    result_.start_step = steps_.empty() ? 0 : *steps_.begin();
    result_.parameters = matched_.size();
    result_.by_norm = static_cast<uint64_t>(
        std::count_if(matched_.begin(), matched_.end(), [](const MatchedParameter& each) { return each.by_norm; }));
    for (const auto& [distance, name] : apart) {
      result_.apart.push_back(name);
      result_.start_distance = std::max(result_.start_distance.value_or(0), -distance);
    }
  }

  SameData sameData(uint64_t step) const {
    const WholeData& one = dataOf(run_, step);
    const WholeData& like = dataOf(like_, step);
    if (has_same_data_ || !one.is_known || !like.is_known) {
      return has_same_data_ ? SameData::kSame : SameData::kUnknown;
    }
    return one.rows == like.rows && one.sum == like.sum ? SameData::kSame : SameData::kOther;
  }

  void judge() {
    result_.data = sameData(*steps_.begin());
    result_.status = LayoutStatus::kStartOnly;
    for (const uint64_t step : steps_) {
      result_.has_draws |= dataOf(run_, step).has_draws || dataOf(like_, step).has_draws;
      if (result_.has_draws || sameData(step) == SameData::kOther || !result_.findings.empty()) {
        result_.stopped_at = result_.steps.empty() || !result_.findings.empty() ? std::nullopt : std::optional(step);
        break;
      }
      result_.status = LayoutStatus::kOk;
      if (!result_.steps.empty()) {
        judgeValues(step, result_.steps.back());
      }
      result_.steps.push_back(step);
      if (result_.findings.empty()) {
        judgeGradients(step);
      }
    }
    result_.parameters -= unjudged_.size();
    if (alike_.empty() && result_.status == LayoutStatus::kOk) {
      result_.status = LayoutStatus::kNothingToCompare;
    }
    for (const LayoutFinding& each : result_.findings) {
      const bool is_wrong = each.severity == VerifySeverity::kError || result_.status == LayoutStatus::kWrong;
      result_.status = is_wrong ? LayoutStatus::kWrong : LayoutStatus::kSuspect;
    }
  }

  static void add(LayoutFinding& finding, const MatchedParameter& each, double distance) {
    finding.parameters.push_back(each.one->name);
    finding.distance = std::max(finding.distance.value_or(0), distance);
  }
  void keep(LayoutFinding finding) {
    if (!finding.parameters.empty()) {
      finding.reasons = finding.ratio ? reasonsFor(*finding.ratio, finding.step) : std::vector<std::string>();
      result_.findings.push_back(std::move(finding));
    }
  }

  /// Returns the sum of all updates from a step on to another one.
  static WholeDigest updatesOf(const WholeStep& from, const WholeStep& to) {
    WholeDigest updates = to.value;
    updates.has_squares = false;
    updates.has_sums &= from.value.has_sums;
    updates.has_non_finite |= from.value.has_non_finite;
    for (int j = 0; j < kDigestSums; ++j) {
      updates.sums[j] -= from.value.sums[j];
    }
    return updates;
  }

  /// Returns how the updates since the step before differ, if they have one direction and clearly another size: what
  /// rounding changes in their size it changes in their direction, too.
  std::optional<Difference> otherRate(const MatchedParameter& each, uint64_t before, uint64_t step) const {
    const WholeStep* one = stepOf(*each.one, before);
    const WholeStep* like = stepOf(*each.like, before);
    if (each.by_norm || one == nullptr || like == nullptr || one->elements < kFewestElements) {
      return std::nullopt;
    }
    const auto updates =
        differenceOf(updatesOf(*one, *stepOf(*each.one, step)), updatesOf(*like, *stepOf(*each.like, step)), false);
    const LayoutBounds bounds = boundsOf(each, step);
    const double clear = updates ? std::max(bounds.rates, kClear * updates->direction) : 1;
    const bool has_direction = clear < 1 && updates->ratio != 0 && std::isfinite(updates->ratio);
    return has_direction && !isNear(updates->ratio, 1, clear) ? updates : std::nullopt;
  }

  /// Adds a parameter to the finding that has its ratio, or to a new one.
  static void addByRatio(std::vector<LayoutFinding>& all, const LayoutFinding& added, const ComparedGradient& each) {
    const auto same =
        std::find_if(all.begin(), all.end(), [&](const LayoutFinding& other) { return each.hasRatio(*other.ratio); });
    add(same != all.end() ? *same : all.emplace_back(added), *each.parameter, each.difference.distance);
  }

  /// Adds the parameters whose values went apart, and those whose updates have another size.
  void judgeValues(uint64_t step, uint64_t before) {
    LayoutFinding finding{.what = LayoutClass::kOptimizer, .step = step};
    std::vector<LayoutFinding> rates;
    forEach(step, [&](const MatchedParameter& each, const WholeStep& one, const WholeStep& like) {
      LayoutBounds bounds = boundsOf(each, step);
      if (const auto rate = otherRate(each, before, step); rate && alike_.contains(each.one)) {
        bounds.ratios = kDrift;
        LayoutFinding added = finding;
        added.ratio = rate->ratio;
        return addByRatio(rates, added, {&each, *rate, bounds, true});
      }
      const auto difference = differenceOf(one.value, like.value, each.by_norm);
      if (!difference || difference->distance <= bounds.values || unjudged_.contains(each.one)) {
        return;
      }
      if (!alike_.contains(each.one)) {
        leaveOut(each, "its values differ, and its gradients were not compared before");
        unjudged_.insert(each.one);
        return;
      }
      const auto updates = differenceOf(
          updatesOf(each.one->steps.begin()->second, one), updatesOf(each.like->steps.begin()->second, like), false);
      if (each.by_norm || (updates && updates->distance > bounds.updates)) {
        add(finding, each, difference->distance);
      }
    });
    std::for_each(rates.begin(), rates.end(), [this](const LayoutFinding& each) { keep(each); });
    keep(std::move(finding));
  }

  /// Returns the gradients that are compared at a step. Those that only one run has go into `lone`.
  std::vector<ComparedGradient> comparedGradients(uint64_t step, LayoutFinding& lone) {
    double largest = 0;
    double largest_like = 0;
    forEach(step, [&](const MatchedParameter&, const WholeStep& one, const WholeStep& like) {
      largest = std::max(largest, one.gradient.isKnown() ? one.gradient.norm() : 0);
      largest_like = std::max(largest_like, like.gradient.isKnown() ? like.gradient.norm() : 0);
    });
    std::vector<ComparedGradient> all;
    forEach(step, [&](const MatchedParameter& each, const WholeStep& one, const WholeStep& like) {
      LayoutBounds bounds = boundsOf(each, step);
      bounds.ratios = step == *steps_.begin() ? bounds.ratios : std::max(bounds.ratios, kDrift);
      const bool is_noise = one.gradient.isKnown() && like.gradient.isKnown() &&
                            one.gradient.norm() <= bounds.noise * largest &&
                            like.gradient.norm() <= bounds.noise * largest_like;
      const auto difference = differenceOf(one.gradient, like.gradient, each.by_norm);
      if (is_noise) {
        unjudged_.insert(each.one);
        leaveOut(each, "its gradients are so small that they may be rounding: they judge nothing, nor do its values");
      } else if (difference) {
        const bool has_direction = !each.by_norm && one.gradient.has_sums && like.gradient.has_sums &&
                                   one.elements >= kFewestElements && difference->ratio != 0;
        all.push_back({&each, *difference, bounds, has_direction});
      } else if ((one.has_no_gradient && like.gradient.isKnown()) || (like.has_no_gradient && one.gradient.isKnown())) {
        lone.parameters.push_back(each.one->name);
      }
    });
    return all;
  }

  void judgeGradients(uint64_t step) {
    LayoutFinding turned{.what = LayoutClass::kDirection, .step = step};
    LayoutFinding lone = turned;
    const std::vector<ComparedGradient> all = comparedGradients(step, lone);
    const double usual = usualRatio(all);
    LayoutFinding scaled{.severity = VerifySeverity::kError, .what = LayoutClass::kScale, .step = step, .ratio = usual};
    std::vector<LayoutFinding> ratios;
    for (const ComparedGradient& each : all) {
      const double clear = std::max(each.bounds.ratios, kClear * each.difference.direction);
      const bool is_turned = each.difference.direction > each.bounds.gradients;
      if (!is_turned && each.hasRatio(usual)) {
        alike_.insert(each.parameter->one);
        if (usual == 1) {
          result_.largest_distance = std::max(result_.largest_distance.value_or(0), each.difference.distance);
        } else {
          add(scaled, *each.parameter, each.difference.distance);
        }
      } else if (!is_turned && each.hasRatio(1)) {
        continue; // alike, while most have another ratio
      } else if (each.isParallel() && !isNear(each.difference.ratio, usual, clear)) {
        const double ratio = each.difference.ratio;
        addByRatio(
            ratios,
            {.severity = VerifySeverity::kError, .what = LayoutClass::kRatio, .step = step, .ratio = ratio},
            each);
      } else {
        add(turned, *each.parameter, each.difference.distance);
      }
    }
    std::for_each(ratios.begin(), ratios.end(), [this](const LayoutFinding& each) { keep(each); });
    keep(std::move(scaled));
    keep(std::move(turned));
    keep(std::move(lone));
  }

  /// Returns what else of the two runs has a ratio.
  std::vector<std::string> reasonsFor(double ratio, uint64_t step) const {
    constexpr double kBound = 0.01;
    const double ranks = static_cast<double>(run_.ranks.size()) / static_cast<double>(like_.ranks.size());
    const auto forwards = static_cast<double>(dataOf(run_, step).forwards);
    const auto like_forwards = static_cast<double>(dataOf(like_, step).forwards);
    const double micro_batches = forwards > 0 && like_forwards > 0 ? forwards / like_forwards : 1;
    std::vector<std::pair<double, std::string>> known;
    for (const WholeRun* run : {&run_, &like_}) {
      for (const auto& [name, size] : run->mesh_dims) {
        known.emplace_back(static_cast<double>(size), "the ranks of " + name);
      }
    }
    known.emplace_back(ranks, "the number of ranks");
    known.emplace_back(micro_batches, "the number of forwards per step");
    if (ranks != 1 && micro_batches != 1) {
      known.emplace_back(ranks * micro_batches, "the number of ranks times that of forwards per step");
    }
    std::vector<std::string> reasons;
    for (const auto& [number, text] : known) {
      if (number > 0 && number != 1 && (isNear(ratio, number, kBound) || isNear(ratio, 1 / number, kBound))) {
        reasons.push_back(text);
      }
    }
    return reasons;
  }

  const WholeRun& run_;
  const WholeRun& like_;
  std::vector<MatchedParameter> matched_;
  NotCompared not_compared_;
  std::set<uint64_t> steps_;
  std::set<const WholeParameter*> unjudged_; ///< their gradients are too small, or were not compared
  std::set<const WholeParameter*> alike_;    ///< their gradients were alike at a step
  bool has_same_data_ = false;
  LayoutComparison result_;
};

} // namespace

LayoutComparison compareLayouts(const WholeRun& run, const WholeRun& like, const WholeRun* again, bool has_same_data) {
  const std::set<std::string> odd = again != nullptr ? Judge(like, *again, false).differing() : std::set<std::string>();
  return Judge(run, like, has_same_data).made(odd);
}

BitComparison compareBits(std::span<const ProcessSamples> run, std::span<const ProcessSamples> like) {
  BitComparison result{.is_same_layout = run.size() == like.size()};
  std::tuple<uint64_t, bool, int64_t> first; // values in the order of the model, then gradients in that of the backward
  for (size_t process = 0; process < std::min(run.size(), like.size()); ++process) {
    const ProcessSamples& one = run[process];
    const ProcessSamples& other = like[process];
    for (size_t i = 0; i < std::min(one.samples.size(), other.samples.size()); ++i) {
      for (size_t k = 0; k < std::min(one.samples[i].rows.size(), other.samples[i].rows.size()); ++k) {
        const SampleRow& a = one.samples[i].rows[k];
        const SampleRow& b = other.samples[i].rows[k];
        const SampledParameter& facts = one.parameters.at(a.parameter);
        const SampledParameter& others = other.parameters.at(b.parameter);
        result.is_same_layout &=
            std::tie(one.samples[i].step, facts.name, facts.local_shape, facts.part, facts.dtype) ==
            std::tie(other.samples[i].step, others.name, others.local_shape, others.part, others.dtype);
        const bool is_gradient = a.value.bits == b.value.bits;
        const Digest& digest = is_gradient ? a.gradient : a.value;
        const auto order = static_cast<int64_t>(k);
        const std::tuple place(one.samples[i].step, is_gradient, is_gradient ? -order : order);
        if (digest.bits != (is_gradient ? b.gradient : b.value).bits && (!result.differ || place < first)) {
          first = place;
          const double distance = digestDistance(digest, is_gradient ? b.gradient : b.value);
          result.differ = {one.samples[i].step, facts.name, one.job.rank.value_or(-1), is_gradient, distance};
        }
      }
    }
  }
  result.differ = result.is_same_layout ? result.differ : std::nullopt;
  return result;
}

} // namespace commtap
