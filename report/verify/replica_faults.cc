// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <limits>
#include <span>

#include "report/replicas/replica_split.h"

namespace commtap {
namespace {

constexpr size_t kNoParent = std::numeric_limits<size_t>::max();

/// Returns the set without the declared sets that differ within themselves: these are findings of their own. Returns
/// fewer than two members if nothing is left to compare.
RankTracks withoutBroken(const ReplicaSet& set) {
  RankTracks members;
  size_t parts = 0;
  for (const RankTracks& declared : set.declared) {
    if (!firstSplit(declared, 0)) {
      members.insert(members.end(), declared.begin(), declared.end());
      ++parts;
    }
  }
  std::sort(members.begin(), members.end(), [](const RankTrack* a, const RankTrack* b) { return a->rank < b->rank; });
  return parts > 1 ? members : RankTracks();
}

std::vector<int64_t> allRanksOf(const std::vector<RankTracks>& parts) {
  std::vector<int64_t> ranks;
  for (const RankTracks& part : parts) {
    for (const RankTrack* member : part) {
      ranks.push_back(member->rank);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

} // namespace

VerifyFinding findingOf(
    const ReplicaSplit& split,
    const SplitDifference& difference,
    const ParameterTrack& track,
    const SampledOptimizer& optimizer) {
  VerifyFinding finding;
  finding.optimizer = track.optimizer;
  finding.before = split.before ? std::optional(optimizer.steps[*split.before]) : std::nullopt;
  finding.step = optimizer.steps[split.step];
  finding.value_distance = difference.values;
  const bool is_before = difference.gradients_before.has_value();
  finding.gradient_distance = is_before ? difference.gradients_before : difference.gradients;
  if (finding.gradient_distance) {
    finding.gradient_step = is_before ? finding.before : finding.step;
  }
  finding.cause = difference.cause;
  finding.cause_ranks = rangesOf(difference.cause_ranks);
  return finding;
}

ReplicaFaults::ReplicaFaults(const ParameterTracks& tracks, const JobFacts& facts)
    : tracks_(tracks), facts_(facts), parts_(tracks, facts) {
  for (const ParameterTrack& track : tracks.all()) {
    compare(track);
  }
  judgeSameGradients();
  judgeSplits();
  judgeOwnValues();
  judgeTied();
  judgeBuffers();
}

void ReplicaFaults::compare(const ParameterTrack& track) {
  std::vector<SameGradient> same = sameGradients(track, tracks_.optimizerOf(track), facts_);
  if (!same.empty()) {
    addReplicated(track, false);
    for (const SameGradient& gradient : same) {
      ++replicas_[allRanksOf(gradient.split.parts)];
    }
    std::move(same.begin(), same.end(), std::back_inserter(same_gradients_));
    return;
  }
  bool is_replicated = false;
  bool is_equal = true;
  for (ReplicaSet& set : replicaSetsOf(track, facts_)) {
    const RankTracks members = set.isDeclared() ? set.members : withoutBroken(set);
    if (members.size() < 2) {
      continue;
    }
    sets_.push_back(std::move(set));
    findOddGradient(track, sets_.back(), members);
    Followed followed{track, sets_.back()};
    follow(followed, members, followed.set.isDeclared() ? 0 : followed.set.start, kNoParent);
    is_replicated |= followed.is_replicated;
    is_equal &= followed.is_equal;
  }
  const bool is_shard = std::any_of(
      track.ranks.begin(), track.ranks.end(), [](const RankTrack& rank) { return isDeclaredShard(*rank.facts); });
  if (is_replicated) {
    addReplicated(track, is_equal);
  }
  if (is_shard) {
    shards_.insert(track.name);
  }
}

void ReplicaFaults::addReplicated(const ParameterTrack& track, bool is_equal) {
  replicated_.emplace(track.name, true).first->second &= is_equal;
}

size_t ReplicaFaults::equal() const {
  return static_cast<size_t>(
      std::count_if(replicated_.begin(), replicated_.end(), [](const auto& entry) { return entry.second; }));
}

size_t ReplicaFaults::unproven() const {
  return static_cast<size_t>(
      std::count_if(apart_.begin(), apart_.end(), [this](const auto& name) { return !replicated_.contains(name); }));
}

size_t ReplicaFaults::sharded() const {
  return static_cast<size_t>(std::count_if(shards_.begin(), shards_.end(), [this](const auto& name) {
    return !replicated_.contains(name) && !apart_.contains(name);
  }));
}

/// Returns whether samples before `end` prove that the ranks hold replicas. Equal data and values of ranks that do not
/// communicate prove nothing.
bool ReplicaFaults::isProven(const RankTracks& members, size_t end) const {
  const std::vector<int64_t> ranks = ranksOf({members}).front();
  return proofOf(members, end) != ReplicaEvidence::kNone &&
         facts_.mayCommunicate(std::span(ranks).first(1), std::span(ranks).subspan(1));
}

bool ReplicaFaults::holdReplicas(
    const Followed& followed,
    const RankTracks& members,
    const std::optional<ReplicaSplit>& split,
    bool is_root) const {
  // A whole set may be proven by what comes after the split: averaging makes it equal again.
  const size_t end = split && !is_root ? split->step : std::numeric_limits<size_t>::max();
  const bool stays_equal = !split && !followed.set.is_constant;
  return isProven(members, end) || (is_root && (followed.set.isDeclared() || stays_equal));
}

void ReplicaFaults::follow(Followed& followed, const RankTracks& members, size_t from, size_t parent) {
  const bool is_root = parent == kNoParent;
  const std::optional<ReplicaSplit> split = firstSplit(members, from);
  if (isProven(members, split ? split->step : std::numeric_limits<size_t>::max())) {
    parts_.addInStep(members);
  }
  const bool was_counted = followed.is_counted;
  if (!was_counted && holdReplicas(followed, members, split, is_root)) {
    followed.is_replicated = followed.is_counted = true;
    followed.is_equal &= !split;
    ++replicas_[ranksOf({members}).front()];
  }
  if (split) {
    parts_.addSplit(split->parts);
    const size_t place = splits_.size();
    const SampledOptimizer& optimizer = tracks_.optimizerOf(followed.track);
    splits_.push_back(
        {{&followed.track, &followed.set, *split, differenceOf(*split, optimizer)}, is_root ? place : parent});
    for (const RankTracks& part : split->parts) {
      if (part.size() > 1) {
        follow(followed, part, split->step + 1, place);
      }
    }
  }
  followed.is_counted = was_counted;
}

void ReplicaFaults::findOddGradient(const ParameterTrack& track, const ReplicaSet& set, const RankTracks& members) {
  const std::optional<ReplicaSplit> split = firstSplit(members, set.start);
  if (split && split->step == 0) {
    return;
  }
  const size_t last = split ? split->step - 1 : std::numeric_limits<size_t>::max(); // then the values say more
  const std::optional<OddGradient> odd = firstOddGradient(members, last);
  const ReplicaEvidence proof = odd ? proofOf(members, odd->step) : ReplicaEvidence::kNone;
  if (!odd || (!set.isDeclared() && proof == ReplicaEvidence::kNone)) {
    return;
  }
  const SampledOptimizer& optimizer = tracks_.optimizerOf(track);
  FoundFault& fault = faults_.emplace_back();
  fault.finding.severity = VerifySeverity::kError;
  fault.finding.what = VerifyClass::kNonFiniteGradient;
  fault.finding.optimizer = track.optimizer;
  fault.finding.before = odd->before ? std::optional(optimizer.steps[*odd->before]) : std::nullopt;
  fault.finding.step = optimizer.steps[odd->step];
  fault.finding.evidence = proof != ReplicaEvidence::kNone ? proof : set.evidence;
  fault.parameter = track.name;
  fault.parts = ranksOf({odd->finite, odd->not_finite});
  fault.finding.cause_ranks = rangesOf(fault.parts.back());
  if (fault.parts[0].size() < fault.parts[1].size()) {
    std::swap(fault.parts[0], fault.parts[1]);
  }
  odd_gradients_.insert(&set);
}

void ReplicaFaults::judgeSplits() {
  std::vector<bool> is_silent(splits_.size());
  for (size_t i = 0; i < splits_.size(); ++i) {
    const auto& [split, parent] = splits_[i];
    if ((parent != i && !is_silent[parent]) || odd_gradients_.contains(split.set)) {
      continue; // the parameter has a finding: how it goes on is no other
    }
    const SampledOptimizer& optimizer = tracks_.optimizerOf(*split.track);
    const std::optional<SplitVerdict> verdict = classOf(split, optimizer, parts_, facts_);
    is_silent[i] = !verdict || isFollower(verdict->severity, verdict->what);
    if (verdict) {
      apart_.insert(split.track->name);
      FoundFault& fault = faults_.emplace_back();
      fault.finding = findingOf(split.split, split.difference, *split.track, optimizer);
      fault.finding.severity = verdict->severity;
      fault.finding.what = verdict->what;
      fault.finding.evidence = verdict->what == VerifyClass::kDrift ? split.split.proof : split.set->evidence;
      if (verdict->is_averaged) {
        fault.finding.cause = DifferenceCause::kAveraging;
        const RankParts parts = ranksOf(split.split.parts);
        fault.finding.last_step = facts_.averageAfter(parts[0], parts[1], fault.finding.before.value_or(0));
      }
      if (split.split.equal_again) {
        fault.finding.last_step = optimizer.steps[*split.split.equal_again];
      }
      fault.parameter = split.track->name;
      fault.parts = ranksOf(split.split.parts);
    }
  }
}

/// Returns whether all parameters of both parts with a gradient have one, and most of them one value too: ranks of one
/// model, some of whose values were not made equal.
bool ReplicaFaults::shareAModel(const SameGradient& same, int64_t one, int64_t other) const {
  const size_t step = same.split.step;
  size_t equal = 0;
  size_t different = 0;
  for (const ParameterTrack& track : tracks_.all()) {
    const RankTrack* first = track.of(one);
    const RankTrack* second = track.of(other);
    if (track.optimizer != same.track->optimizer || first == nullptr || second == nullptr ||
        !hasWholeGradient(*first, step) || !hasWholeGradient(*second, step)) {
      continue;
    }
    const SampleRow& a = *first->row(step);
    const SampleRow& b = *second->row(step);
    if (a.gradient.bits != b.gradient.bits) {
      return false;
    }
    (a.value.bits == b.value.bits ? equal : different) += a.gradient.is_constant ? 0 : 1;
  }
  return equal > different;
}

/// Returns whether ranks with one gradient for different values from the start are certainly ranks of one model.
bool ReplicaFaults::isMostOf(const SameGradient& same) const {
  const RankParts parts = ranksOf(same.split.parts);
  const auto has_both = [&parts](const ParameterTrack& track) {
    const RankTrack* one = track.of(parts[0].front());
    const RankTrack* other = track.of(parts[1].front());
    // Ones and zeros are equal whatever the seed.
    return one != nullptr && other != nullptr &&
           !(firstRowOf(*one).value.is_constant && firstRowOf(*other).value.is_constant);
  };
  if (shareAModel(same, parts[0].front(), parts[1].front())) {
    return true;
  }
  const auto is_alike = [&parts](const SameGradient& other) {
    return !other.split.before && ranksOf(other.split.parts) == parts;
  };
  const auto all = std::count_if(tracks_.all().begin(), tracks_.all().end(), has_both);
  return 2 * std::count_if(same_gradients_.begin(), same_gradients_.end(), is_alike) >= all;
}

void ReplicaFaults::judgeSameGradients() {
  std::map<RankParts, bool> is_most;
  for (const SameGradient& same : same_gradients_) {
    FoundFault& fault = faults_.emplace_back();
    fault.parts = ranksOf(same.split.parts);
    fault.finding = findingOf(same.split, same.difference, *same.track, tracks_.optimizerOf(*same.track));
    fault.finding.what = same.split.before ? VerifyClass::kSameGradient : VerifyClass::kNeverEqual;
    fault.finding.evidence = ReplicaEvidence::kGradients;
    fault.parameter = same.track->name;
    const auto [most, is_new] = is_most.emplace(fault.parts, false);
    most->second = is_new ? isMostOf(same) : most->second;
    const bool is_sure = same.split.before || same.is_declared || most->second;
    const bool is_error = is_sure && facts_.mayCommunicate(fault.parts[0], fault.parts[1]);
    fault.finding.severity = is_error ? VerifySeverity::kError : VerifySeverity::kWarning;
  }
}

} // namespace commtap
