// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_split.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace commtap {
namespace {

// An update that float32 rounds otherwise by 1e-6 changes the last bit of one in a thousand numbers of a short type.
constexpr RoundingBounds kFloat{.values = 1e-6, .gradients = 1e-4, .updates = 1e-6};
constexpr RoundingBounds kHalf{.values = 0.01, .gradients = 0.02, .updates = 1e-4};
constexpr RoundingBounds kBfloat{.values = 0.05, .gradients = 0.1, .updates = 1e-4};

/// Sums are rounded as float32 is. So the distances of a finer type have the bounds of float32.
RoundingBounds boundsOf(std::string_view dtype) {
  if (dtype.empty() || dtype == "float32" || dtype == "float64") {
    return kFloat;
  }
  return dtype == "float16" ? kHalf : kBfloat;
}

} // namespace

RoundingBounds roundingBounds(std::string_view dtype, std::string_view coarse_dtype, uint64_t steps) {
  constexpr double kMeasuredSteps = 300;
  const RoundingBounds own = boundsOf(dtype);
  const RoundingBounds coarse = boundsOf(coarse_dtype);
  const double growth = std::max(1.0, static_cast<double>(steps) / kMeasuredSteps);
  return {
      .values = std::max(own.values, coarse.values) * growth,
      .gradients = std::max(own.gradients, coarse.gradients),
      .updates = own.updates * growth};
}

bool isRounding(double values, std::optional<double> gradients, const RoundingBounds& bounds) {
  if (!gradients || *gradients == 0) {
    return values < (gradients ? bounds.updates : bounds.values);
  }
  // Adam makes a whole update of a gradient that is as small as its rounding: the share of such elements is about
  // the distance of the gradients, and an update is some hundredths of the values.
  constexpr double kUpdate = 0.01;
  return *gradients < bounds.gradients && values < std::max(bounds.values, kUpdate * std::sqrt(*gradients));
}

std::optional<double> replicaDistance(const Digest& a, const Digest& b, bool has_sums) {
  if (a.has_non_finite || b.has_non_finite) {
    return std::nullopt;
  }
  if (has_sums) {
    return digestDistance(a, b);
  }
  // A distance that is this large is no rounding, whatever the dtype.
  constexpr double kFar = 0.1;
  const double largest = std::sqrt(std::max(a.squares, b.squares));
  const double difference = std::abs(std::sqrt(a.squares) - std::sqrt(b.squares));
  return largest > 0 && difference > kFar * largest ? std::optional(difference / largest) : std::nullopt;
}

namespace {

/// Returns whether all members that have the step have the same values; false if fewer than two have it.
bool areEqualAt(const RankTracks& members, size_t step) {
  const SampleRow* first = nullptr;
  size_t count = 0;
  for (const RankTrack* member : members) {
    if (const SampleRow* row = member->row(step)) {
      first = first == nullptr ? row : first;
      ++count;
      if (row->value.bits != first->value.bits) {
        return false;
      }
    }
  }
  return count > 1;
}

bool haveEqualGradients(const RankTracks& members, size_t step) {
  const Digest* first = nullptr;
  for (const RankTrack* member : members) {
    const SampleRow* row = member->row(step);
    if (!hasWholeGradient(*member, step) || row->gradient.is_constant) {
      return false;
    }
    first = first == nullptr ? &row->gradient : first;
    if (row->gradient.bits != first->bits) {
      return false;
    }
  }
  return true;
}

size_t stepsOf(const RankTracks& members) {
  size_t steps = 0;
  for (const RankTrack* member : members) {
    steps = std::max(steps, member->rows.size());
  }
  return steps;
}

/// Returns a step after the split with values that are equal again, and are no longer those before it.
std::optional<size_t> equalAgain(const RankTracks& members, const ReplicaSplit& split) {
  const SampleRow* old = split.before ? members.front()->row(*split.before) : nullptr;
  for (size_t step = split.step + 1; step < stepsOf(members); ++step) {
    const SampleRow* row = members.front()->row(step);
    if (row != nullptr && areEqualAt(members, step) && (old == nullptr || old->value.bits != row->value.bits)) {
      return step;
    }
  }
  return std::nullopt;
}

/// Appends the ranks of a part.
void append(std::vector<int64_t>& ranks, const RankTracks& part) {
  for (const RankTrack* member : part) {
    ranks.push_back(member->rank);
  }
}

/// Returns the ranks of the parts for which `holds` does, if it does for some parts only.
template <typename Holds>
std::vector<int64_t> oddRanks(const std::vector<RankTracks>& parts, const Holds& holds) {
  std::vector<int64_t> ranks;
  size_t count = 0;
  for (const RankTracks& part : parts) {
    if (holds(*part.front())) {
      append(ranks, part);
      ++count;
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return count == parts.size() ? std::vector<int64_t>() : ranks;
}

bool isNoise(const ReplicaSplit& split, const SampledOptimizer& optimizer) {
  constexpr double kLeast = 1e-5;
  return std::all_of(split.parts.begin(), split.parts.end(), [&](const RankTracks& part) {
    const double largest = optimizer.largest_gradients.at(part.front()->rank)[split.step];
    return part.front()->row(split.step)->gradient.squares < kLeast * kLeast * largest;
  });
}

bool haveOneGradient(const std::vector<RankTracks>& parts, size_t step) {
  const SampleRow* first = parts.front().front()->row(step);
  return std::all_of(parts.begin(), parts.end(), [&](const RankTracks& part) {
    return hasWholeGradient(*part.front(), step) && part.front()->row(step)->gradient.bits == first->gradient.bits;
  });
}

/// Returns the largest distance of the parts' gradients; nullopt if it is not known, or there are none to compare.
std::optional<double> gradientDistance(const std::vector<RankTracks>& parts, size_t step) {
  if (haveOneGradient(parts, step)) {
    return 0.0;
  }
  double largest = 0;
  const SampleRow* first = parts.front().front()->row(step);
  for (const RankTracks& part : parts) {
    const SampleRow* row = part.front()->row(step);
    if (!hasUsedGradient(*part.front(), step)) {
      return std::nullopt;
    }
    if (row->gradient.bits != first->gradient.bits) {
      const auto distance = replicaDistance(row->gradient, first->gradient, row->has_sums && first->has_sums);
      if (!distance) {
        return std::nullopt;
      }
      largest = std::max(largest, *distance);
    }
  }
  return largest;
}

/// Sets the distances of the gradients.
void compareGradients(const ReplicaSplit& split, const SampledOptimizer& optimizer, SplitDifference& difference) {
  const auto is_used = [&split](const RankTracks& part) { return hasUsedGradient(*part.front(), split.step); };
  difference.gradients = gradientDistance(split.parts, split.step);
  difference.has_noise_gradients =
      std::all_of(split.parts.begin(), split.parts.end(), is_used) && isNoise(split, optimizer);
  if (split.before && optimizer.steps[split.step] - optimizer.steps[*split.before] == 1) {
    difference.gradients_before = gradientDistance(split.parts, *split.before);
    difference.is_of_update = difference.gradients_before == 0.0 && hadEqualGradients(split.parts, split.step);
  }
}

void findCause(const ReplicaSplit& split, SplitDifference& difference) {
  const auto is_frozen = [&split](const RankTrack& track) { return !track.row_facts[split.step]->requires_grad; };
  const auto has_none = [&split](const RankTrack& track) {
    const SampleRow* row = track.row(split.step);
    return !row->has_gradient && !row->is_gradient_unknown;
  };
  if (std::vector<int64_t> frozen = oddRanks(split.parts, is_frozen); !frozen.empty()) {
    difference.cause = DifferenceCause::kFrozen;
    difference.cause_ranks = std::move(frozen);
  } else if (std::vector<int64_t> none = oddRanks(split.parts, has_none); !none.empty()) {
    difference.cause = DifferenceCause::kNoGradient;
    difference.cause_ranks = std::move(none);
  } else if (
      const std::optional<double> distance =
          difference.gradients_before.has_value() ? difference.gradients_before : difference.gradients) {
    difference.cause = *distance == 0 ? DifferenceCause::kUpdate : DifferenceCause::kGradients;
  }
}

} // namespace

std::vector<RankTracks> partsAt(const RankTracks& members, size_t step) {
  std::map<uint64_t, RankTracks> by_bits;
  for (const RankTrack* member : members) {
    if (const SampleRow* row = member->row(step)) {
      by_bits[row->value.bits].push_back(member);
    }
  }
  std::vector<RankTracks> parts;
  for (auto& [bits, part] : by_bits) {
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(), [](const RankTracks& a, const RankTracks& b) {
    return a.size() != b.size() ? a.size() > b.size() : a.front()->rank < b.front()->rank;
  });
  return parts;
}

bool hadEqualGradients(const std::vector<RankTracks>& parts, size_t end) {
  bool is_known = false;
  for (size_t step = 0; step < end; ++step) {
    const auto has_whole = [step](const RankTracks& part) { return hasWholeGradient(*part.front(), step); };
    if (!std::all_of(parts.begin(), parts.end(), has_whole)) {
      continue;
    }
    if (!haveOneGradient(parts, step)) {
      return false;
    }
    is_known |= !parts.front().front()->row(step)->gradient.is_constant;
  }
  return is_known;
}

size_t changesOf(const RankTrack& track) {
  size_t changes = 0;
  const SampleRow* last = nullptr;
  for (const SampleRow* row : track.rows) {
    if (row != nullptr) {
      changes += last != nullptr && last->value.bits != row->value.bits ? 1 : 0;
      last = row;
    }
  }
  return changes;
}

ReplicaEvidence proofOf(const RankTracks& members, size_t end) {
  size_t changes = 0;
  const SampleRow* last = nullptr;
  for (size_t step = 0; step < std::min(end, stepsOf(members)); ++step) {
    if (!areEqualAt(members, step)) {
      continue;
    }
    if (haveEqualGradients(members, step)) {
      return ReplicaEvidence::kGradients;
    }
    const SampleRow* row = members.front()->row(step);
    // Values of one element, or all equal ones, may meet by chance: Adam's first steps are as large for all.
    if (row != nullptr && !row->value.is_constant) {
      changes += last != nullptr && last->value.bits != row->value.bits ? 1 : 0;
      last = row;
    }
  }
  return changes > 1 ? ReplicaEvidence::kChanges : ReplicaEvidence::kNone;
}

std::optional<ReplicaSplit> firstSplit(const RankTracks& members, size_t from) {
  ReplicaSplit split;
  for (size_t step = 0; step < stepsOf(members); ++step) {
    if (areEqualAt(members, step)) {
      split.before = step;
      continue;
    }
    if (step < from) {
      continue;
    }
    split.parts = partsAt(members, step);
    if (split.parts.size() > 1) {
      split.step = step;
      split.proof = proofOf(members, step);
      split.equal_again = equalAgain(members, split);
      return split;
    }
  }
  return std::nullopt;
}

SplitDifference differenceOf(const ReplicaSplit& split, const SampledOptimizer& optimizer) {
  SplitDifference difference;
  const SampleRow* first = split.parts.front().front()->row(split.step);
  for (const RankTracks& part : split.parts) {
    const SampleRow* row = part.front()->row(split.step);
    if (row != first) {
      difference.values =
          std::max(difference.values, replicaDistance(row->value, first->value, row->has_sums && first->has_sums));
    }
  }
  compareGradients(split, optimizer, difference);
  findCause(split, difference);
  const auto is_not_finite = [&split](const RankTrack& track) { return track.row(split.step)->value.has_non_finite; };
  if (std::vector<int64_t> odd = oddRanks(split.parts, is_not_finite); !odd.empty()) {
    difference.has_non_finite = true;
    difference.cause_ranks = std::move(odd);
  }
  return difference;
}

} // namespace commtap
