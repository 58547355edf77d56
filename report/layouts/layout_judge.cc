// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/layouts/layout_judge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "report/layouts/matched_runs.h"

namespace commtap {
namespace {

constexpr int64_t kFewestElements = 16; ///< of a tensor that has a direction: that of a number is always the same
constexpr double kNoise = 1e-5;         ///< gradients that are so small by the largest one may be rounding

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

/// A parameter whose gradients differ in a step.
struct Apart {
  const MatchedParameter* parameter = nullptr;
  Difference difference;
  bool has_direction = false; ///< its direction is known
  double bound = 0;

  bool isEqual() const {
    return has_direction && difference.direction <= bound;
  }
};

/// Parameters whose gradients have one ratio.
struct Cluster {
  double ratio = 1;
  size_t count = 0;
};

/// Returns the ratio that most parameters of one direction have; of equally many the one that is nearest to 1.
Cluster mostCommonRatio(const std::vector<Apart>& all) {
  Cluster most;
  for (const Apart& each : all) {
    if (!each.isEqual() || each.difference.ratio == 0) {
      continue;
    }
    const double ratio = each.difference.ratio;
    const auto has_it = [&](const Apart& other) {
      return other.isEqual() && isNear(other.difference.ratio, ratio, each.bound);
    };
    const auto count = static_cast<size_t>(std::count_if(all.begin(), all.end(), has_it));
    if (count > most.count || (count == most.count && std::abs(ratio - 1) < std::abs(most.ratio - 1))) {
      most = {ratio, count};
    }
  }
  return most;
}

/// Judges two runs.
class Judge {
 public:
  Judge(const WholeRun& run, const WholeRun& like, const LayoutOptions& options) : run_(run), like_(like) {
    matched_ = matchedParameters(run, like, options.renames, not_compared_);
    result_.run_id = run.run_id;
    result_.like_run_id = like.run_id;
    result_.ranks = run.ranks.size();
    result_.like_ranks = like.ranks.size();
    for (const MatchedParameter& each : matched_) {
      for (const auto& [step, row] : each.one->steps) {
        if (stepOf(*each.like, step) != nullptr) {
          steps_.insert(step);
        }
      }
    }
    has_same_data_ = options.has_same_data;
  }

  /// Leaves out the parameters that differ between two runs of one layout.
  void leaveOut(const std::set<std::string>& names) {
    std::erase_if(matched_, [&](const MatchedParameter& each) {
      const bool is_out = names.contains(each.like->name);
      if (is_out) {
        not_compared_.emplace_back(each.one->name, "it does not reproduce in the other layout itself");
      }
      return is_out;
    });
  }

  LayoutComparison made() {
    compareStarts();
    judge();
    for (const MatchedParameter& each : matched_) {
      for (const WholeParameter* parameter : {each.one, each.like}) {
        if (!parameter->why_unknown.empty()) {
          not_compared_.emplace_back(each.one->name, parameter->why_unknown);
        }
      }
    }
    addNotCompared();
    return std::move(result_);
  }

  /// Returns the names whose values or gradients differ in some step.
  std::set<std::string> differing() {
    std::set<std::string> names;
    for (const MatchedParameter& each : matched_) {
      for (const uint64_t step : steps_) {
        const WholeStep* one = stepOf(*each.one, step);
        const WholeStep* like = stepOf(*each.like, step);
        if (one == nullptr || like == nullptr) {
          continue;
        }
        const LayoutBounds bounds = boundsOf(each, step);
        const auto values = differenceOf(one->value, like->value, false);
        const auto gradients = differenceOf(one->gradient, like->gradient, false);
        if ((values && values->distance > bounds.values) || (gradients && gradients->distance > bounds.gradients)) {
          names.insert(each.one->name);
        }
      }
    }
    return names;
  }

 private:
  LayoutBounds boundsOf(const MatchedParameter& each, uint64_t step) const {
    const bool is_coarse = dataOf(run_, step).has_autocast || dataOf(like_, step).has_autocast ||
                           !run_.coarse_dtype.empty() || !like_.coarse_dtype.empty();
    return layoutBounds(*each.one, *each.like, is_coarse, step);
  }

  void compareStarts() {
    std::vector<std::pair<double, std::string>> apart;
    std::vector<MatchedParameter> comparable;
    for (MatchedParameter& each : matched_) {
      const auto first = std::find_if(steps_.begin(), steps_.end(), [&](uint64_t step) {
        return stepOf(*each.one, step) != nullptr && stepOf(*each.like, step) != nullptr;
      });
      const WholeStep* one = first == steps_.end() ? nullptr : stepOf(*each.one, *first);
      const WholeStep* like = first == steps_.end() ? nullptr : stepOf(*each.like, *first);
      if (one == nullptr) {
        const bool has_reason = !each.one->why_unknown.empty() || !each.like->why_unknown.empty();
        if (!has_reason) {
          not_compared_.emplace_back(each.one->name, "no step has samples of it in both runs");
        }
        unused_.push_back(each);
        continue;
      }
      if (one->elements != like->elements) {
        not_compared_.emplace_back(
            each.one->name,
            "it has " + std::to_string(one->elements) + " elements on all ranks together, and " +
                std::to_string(like->elements) + " in the other run");
        continue;
      }
      const double bound = boundsOf(each, *first).start;
      each.by_norm = !one->value.has_sums || !like->value.has_sums;
      std::optional<Difference> difference = differenceOf(one->value, like->value, each.by_norm);
      if (difference && difference->distance > bound && !each.by_norm && isNear(std::abs(difference->ratio), 1, kSameNorm)) {
        not_compared_.emplace_back(each.one->name, "its elements have another order: norms only");
        each.by_norm = true;
        difference = differenceOf(one->value, like->value, true);
      }
      if (difference && difference->distance > bound) {
        apart.emplace_back(-difference->distance, each.one->name);
      }
      result_.by_norm += each.by_norm ? 1 : 0;
      comparable.push_back(each);
    }
    matched_ = std::move(comparable);
    result_.parameters = matched_.size();
    std::sort(apart.begin(), apart.end());
    for (const auto& [distance, name] : apart) {
      result_.apart.push_back(name);
      result_.start_distance = result_.start_distance.value_or(-distance);
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
    if (matched_.empty() || !result_.apart.empty() || steps_.empty()) {
      return;
    }
    result_.data = sameData(*steps_.begin());
    result_.status = LayoutStatus::kStartOnly;
    for (const uint64_t step : steps_) {
      result_.has_draws |= dataOf(run_, step).has_draws || dataOf(like_, step).has_draws;
      if (result_.has_draws || sameData(step) == SameData::kOther) {
        break;
      }
      result_.status = LayoutStatus::kOk;
      result_.steps.push_back(step);
      if (step == *steps_.begin() || !judgeValues(step)) {
        judgeGradients(step);
      }
      if (!result_.findings.empty()) {
        break;
      }
    }
    const auto is_error = [](const LayoutFinding& each) { return each.severity == VerifySeverity::kError; };
    if (!result_.findings.empty()) {
      const bool is_wrong = std::any_of(result_.findings.begin(), result_.findings.end(), is_error);
      result_.status = is_wrong ? LayoutStatus::kWrong : LayoutStatus::kSuspect;
    }
  }

  void noteAlike(double distance) {
    result_.largest_distance = std::max(result_.largest_distance.value_or(0), distance);
  }

  /// Returns how far the values of the other run have moved since its first sample, by their size.
  static double movement(const MatchedParameter& each, const WholeDigest& value) {
    const std::optional<Difference> moved = differenceOf(value, each.like->steps.begin()->second.value, each.by_norm);
    return moved ? moved->distance : 0;
  }

  /// Adds the parameters whose values went apart. Returns whether there are any.
  bool judgeValues(uint64_t step) {
    constexpr double kPart = 0.5; // of the movement: Adam turns the rounding of small gradients into whole steps
    LayoutFinding finding{.what = LayoutClass::kOptimizer, .step = step};
    for (auto each = matched_.rbegin(); each != matched_.rend(); ++each) {
      const WholeStep* one = stepOf(*each->one, step);
      const WholeStep* like = stepOf(*each->like, step);
      const std::optional<Difference> difference = one == nullptr || like == nullptr || noise_.contains(each->one)
                                                       ? std::nullopt
                                                       : differenceOf(one->value, like->value, each->by_norm);
      if (!difference) {
        continue;
      }
      if (difference->distance > boundsOf(*each, step).values &&
          difference->distance > kPart * std::max(movement(*each, like->value), movement(*each, one->value))) {
        finding.parameters.push_back(each->one->name);
        finding.distance = std::max(finding.distance.value_or(0), difference->distance);
      } else {
        noteAlike(difference->distance);
      }
    }
    if (!finding.parameters.empty()) {
      result_.findings.push_back(finding);
    }
    return !finding.parameters.empty();
  }

  double largestGradient(uint64_t step, const WholeParameter* MatchedParameter::*which) const {
    double largest = 0;
    for (const MatchedParameter& each : matched_) {
      const WholeStep* row = stepOf(*(each.*which), step);
      largest = std::max(largest, row != nullptr && row->gradient.isKnown() ? row->gradient.norm() : 0);
    }
    return largest;
  }

  /// Returns the parameters whose gradients are compared at a step, in the order of the backward.
  std::vector<Apart> comparedGradients(uint64_t step) {
    const double largest = largestGradient(step, &MatchedParameter::one);
    const double largest_like = largestGradient(step, &MatchedParameter::like);
    LayoutFinding missing{.what = LayoutClass::kNoGradient, .step = step};
    std::vector<Apart> all;
    for (auto each = matched_.rbegin(); each != matched_.rend(); ++each) {
      const WholeStep* one = stepOf(*each->one, step);
      const WholeStep* like = stepOf(*each->like, step);
      if (one == nullptr || like == nullptr) {
        continue;
      }
      const bool is_noise = one->gradient.norm() <= kNoise * largest && like->gradient.norm() <= kNoise * largest_like;
      if ((one->has_no_gradient && like->gradient.isKnown()) || (like->has_no_gradient && one->gradient.isKnown())) {
        if (!is_noise) {
          missing.parameters.push_back(each->one->name);
        }
        continue;
      }
      const std::optional<Difference> difference = differenceOf(one->gradient, like->gradient, each->by_norm);
      if (difference && is_noise) {
        noise_.insert(each->one);
      } else if (difference) {
        const bool has_direction = !each->by_norm && one->gradient.has_sums && like->gradient.has_sums &&
                                   one->elements >= kFewestElements && difference->ratio != 0 &&
                                   std::isfinite(difference->ratio);
        all.push_back({&*each, *difference, has_direction, boundsOf(*each, step).gradients});
      }
    }
    if (!missing.parameters.empty()) {
      result_.findings.push_back(missing);
    }
    return all;
  }

  void judgeGradients(uint64_t step) {
    const std::vector<Apart> all = comparedGradients(step);
    const Cluster most = mostCommonRatio(all);
    double usual = 1;
    if (most.count * 2 > all.size() && !all.empty() && !isNear(most.ratio, 1, all.front().bound)) {
      usual = most.ratio;
    }
    LayoutFinding turned{.what = LayoutClass::kDirection, .step = step};
    LayoutFinding scaled{.severity = VerifySeverity::kError, .what = LayoutClass::kScale, .step = step, .ratio = usual};
    std::vector<LayoutFinding> ratios;
    for (const Apart& each : all) {
      const bool is_usual = isNear(each.difference.ratio, usual, each.bound);
      if (is_usual && (each.isEqual() || !each.has_direction) && each.difference.direction <= each.bound) {
        if (usual == 1) {
          noteAlike(each.difference.distance);
        } else {
          scaled.parameters.push_back(each.parameter->one->name);
        }
      } else if (each.isEqual() && !isNear(each.difference.ratio, usual, std::max(each.bound, 10 * each.difference.direction))) {
        addRatio(ratios, each, step);
      } else {
        turned.parameters.push_back(each.parameter->one->name);
        turned.distance = std::max(turned.distance.value_or(0), each.difference.distance);
      }
    }
    for (LayoutFinding& each : ratios) {
      each.reasons = reasonsFor(*each.ratio, step);
      result_.findings.push_back(std::move(each));
    }
    if (!scaled.parameters.empty()) {
      scaled.reasons = reasonsFor(usual, step);
      result_.findings.push_back(std::move(scaled));
    }
    if (!turned.parameters.empty()) {
      result_.findings.push_back(std::move(turned));
    }
    std::stable_sort(result_.findings.begin(), result_.findings.end(), [](const auto& a, const auto& b) {
      return a.severity < b.severity;
    });
  }

  static void addRatio(std::vector<LayoutFinding>& ratios, const Apart& each, uint64_t step) {
    const auto same = std::find_if(ratios.begin(), ratios.end(), [&](const LayoutFinding& other) {
      return isNear(each.difference.ratio, *other.ratio, each.bound);
    });
    LayoutFinding& finding =
        same != ratios.end()
            ? *same
            : ratios.emplace_back(LayoutFinding{
                  .severity = VerifySeverity::kError,
                  .what = LayoutClass::kRatio,
                  .step = step,
                  .ratio = each.difference.ratio});
    finding.parameters.push_back(each.parameter->one->name);
    finding.distance = std::max(finding.distance.value_or(0), each.difference.distance);
  }

  /// Returns what else of the two runs has a ratio.
  std::vector<std::string> reasonsFor(double ratio, uint64_t step) const {
    constexpr double kBound = 0.01;
    std::vector<std::string> reasons;
    const auto add = [&](double number, const std::string& text) {
      if (number > 0 && number != 1 && (isNear(ratio, number, kBound) || isNear(ratio, 1 / number, kBound))) {
        reasons.push_back(text);
      }
    };
    for (const WholeRun* run : {&run_, &like_}) {
      for (const auto& [name, size] : run->mesh_dims) {
        add(static_cast<double>(size), "the ranks of " + name);
      }
    }
    const double ranks = static_cast<double>(run_.ranks.size()) / static_cast<double>(std::max<size_t>(like_.ranks.size(), 1));
    const auto forwards = static_cast<double>(dataOf(run_, step).forwards);
    const auto like_forwards = static_cast<double>(dataOf(like_, step).forwards);
    const double micro_batches = forwards > 0 && like_forwards > 0 ? forwards / like_forwards : 1;
    add(ranks, "the number of ranks");
    add(micro_batches, "the number of forwards per step");
    if (ranks != 1 && micro_batches != 1) {
      add(ranks * micro_batches, "the number of ranks times that of forwards per step");
    }
    return reasons;
  }

  void addNotCompared() {
    std::map<std::string, std::vector<std::string>> names; // by reason
    for (const auto& [name, why] : not_compared_) {
      std::vector<std::string>& list = names[why];
      if (std::find(list.begin(), list.end(), name) == list.end()) {
        list.push_back(name);
      }
    }
    for (const MatchedParameter& each : unused_) {
      for (const WholeParameter* parameter : {each.one, each.like}) {
        if (!parameter->why_unknown.empty()) {
          names[parameter->why_unknown].push_back(each.one->name);
        }
      }
    }
    for (const auto& [why, list] : names) {
      const std::string more = list.size() > 1 ? " and " + std::to_string(list.size() - 1) + " more" : "";
      result_.not_compared.push_back(list.front() + more + ": " + why);
    }
  }

  static constexpr double kSameNorm = 1e-6; ///< norms so near are of the same elements in another order

  const WholeRun& run_;
  const WholeRun& like_;
  std::vector<MatchedParameter> matched_;
  std::vector<MatchedParameter> unused_;
  NotCompared not_compared_;
  std::set<uint64_t> steps_;
  std::set<const WholeParameter*> noise_; ///< their gradients were too small to judge
  bool has_same_data_ = false;
  LayoutComparison result_;
};

} // namespace

LayoutComparison
compareLayouts(const WholeRun& run, const WholeRun& like, const WholeRun* again, const LayoutOptions& options) {
  Judge judge(run, like, options);
  if (again != nullptr) {
    judge.leaveOut(Judge(like, *again, {}).differing());
  }
  return judge.made();
}

namespace {

/// A row of a rank's samples, and the parameter's place in the order of the model.
struct RankRow {
  const SampledParameter* facts = nullptr;
  const SampleRow* row = nullptr;
  size_t order = 0;
};
using RankRows = std::map<std::pair<uint64_t, std::string>, RankRow>; ///< by step and name

std::map<int64_t, RankRows> rowsOf(std::span<const ProcessSamples> processes) {
  std::map<int64_t, RankRows> ranks;
  for (const ProcessSamples& process : processes) {
    for (const Sample& sample : process.samples) {
      for (size_t i = 0; process.job.rank && i < sample.rows.size(); ++i) {
        const SampledParameter& facts = process.parameters.at(sample.rows[i].parameter);
        ranks[*process.job.rank].emplace(std::pair(sample.step, facts.name), RankRow{&facts, &sample.rows[i], i});
      }
    }
  }
  return ranks;
}

bool hasSameLayout(const RankRows& one, const RankRows& other) {
  return std::all_of(one.begin(), one.end(), [&other](const auto& entry) {
    const auto same = other.find(entry.first);
    const SampledParameter& facts = *entry.second.facts;
    return same == other.end() || (same->second.facts->local_shape == facts.local_shape &&
                                   same->second.facts->part == facts.part && same->second.facts->dtype == facts.dtype);
  });
}

/// Returns a number that orders differences: by step, values in the order of the model, then gradients in that of the
/// backward.
std::tuple<uint64_t, bool, int64_t> orderOf(const FirstBits& bits, size_t order) {
  const auto place = static_cast<int64_t>(order);
  return {bits.step, bits.is_gradient, bits.is_gradient ? -place : place};
}

} // namespace

BitComparison compareBits(std::span<const ProcessSamples> run, std::span<const ProcessSamples> like) {
  const std::map<int64_t, RankRows> ranks = rowsOf(run);
  const std::map<int64_t, RankRows> others = rowsOf(like);
  BitComparison result{.is_same_layout = !ranks.empty() && ranks.size() == others.size()};
  size_t order = 0;
  for (auto one = ranks.begin(), other = others.begin(); result.is_same_layout && one != ranks.end(); ++one, ++other) {
    result.is_same_layout = one->first == other->first && hasSameLayout(one->second, other->second);
    for (const auto& [key, row] : one->second) {
      const auto same = other->second.find(key);
      if (same == other->second.end() || !result.is_same_layout) {
        continue;
      }
      for (const bool is_gradient : {false, true}) {
        const Digest& a = is_gradient ? row.row->gradient : row.row->value;
        const Digest& b = is_gradient ? same->second.row->gradient : same->second.row->value;
        const FirstBits bits{key.first, key.second, one->first, is_gradient, digestDistance(a, b)};
        if (a.bits != b.bits && (!result.differ || orderOf(bits, row.order) < orderOf(*result.differ, order))) {
          result.differ = bits;
          order = row.order;
        }
      }
    }
  }
  result.differ = result.is_same_layout ? result.differ : std::nullopt;
  return result;
}

} // namespace commtap
