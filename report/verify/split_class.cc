// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>

#include "report/replicas/replica_split.h"

namespace commtap {
namespace {

bool hasGradients(const RankTracks& part) {
  const std::vector<const SampleRow*>& rows = part.front()->rows;
  return std::any_of(rows.begin(), rows.end(), [](const SampleRow* row) {
    return row != nullptr && (row->has_gradient || row->is_gradient_unknown);
  });
}

/// Asks the questions that separate a fault from what is meant, in the order of their worth.
class SplitJudge {
 public:
  SplitJudge(const SplitSet& split, const SampledOptimizer& optimizer, RankPartsFacts& parts, const JobFacts& facts)
      : split_(split), optimizer_(optimizer), all_(parts), facts_(facts), parts_(ranksOf(split.split.parts)) {}

  std::optional<SplitVerdict> verdict() {
    const SplitDifference& difference = split_.difference;
    if (difference.has_non_finite) {
      return isReplica() ? error(VerifyClass::kNonFinite) : warning(VerifyClass::kNonFinite);
    }
    if (isRounding()) {
      return note(VerifyClass::kRounding);
    }
    if (split_.split.equal_again) {
      return isOverwritten() ? warning(VerifyClass::kPeriodic) : note(VerifyClass::kPeriodic);
    }
    if (difference.has_noise_gradients) {
      return follower();
    }
    if (isReplica()) {
      if (!difference.values) {
        return note(VerifyClass::kUnmeasured);
      }
      return isAveraged() ? SplitVerdict{VerifySeverity::kWarning, classOfReplica(), true} : error(classOfReplica());
    }
    return split_.set->is_expert || !difference.values ? std::nullopt : unprovenVerdict();
  }

 private:
  static SplitVerdict error(VerifyClass what) {
    return {VerifySeverity::kError, what};
  }
  static SplitVerdict warning(VerifyClass what) {
    return {VerifySeverity::kWarning, what};
  }
  static SplitVerdict note(VerifyClass what) {
    return {VerifySeverity::kNote, what};
  }
  static SplitVerdict follower() {
    return note(VerifyClass::kSeparate);
  }

  bool isReplica() {
    return isProven() || (split_.set->isDeclared() && !hasLeftDdp());
  }

  bool isProven() const {
    return split_.split.proof != ReplicaEvidence::kNone && mayCommunicate();
  }

  /// Returns whether the gradients differ and the optimizer's step reduces over the parts: it may average the values
  /// now and then.
  bool isAveraged() const {
    return split_.difference.cause == DifferenceCause::kGradients && facts_.reducesInStep(parts_[0], parts_[1]);
  }

  /// Returns whether the parts share a collective. If not, equal gradients are those of equal data and values.
  bool mayCommunicate() const {
    for (size_t i = 1; i < parts_.size(); ++i) {
      if (!facts_.mayCommunicate(parts_.front(), parts_[i])) {
        return false;
      }
    }
    return true;
  }

  /// Returns whether the parameters of a DistributedDataParallel are trained without it: no parameter stays equal, and
  /// from the split on a rank uses none of its groups. A job may go on so with a model per rank.
  bool hasLeftDdp() {
    if (split_.set->evidence != ReplicaEvidence::kDdp || all_.of(parts_).in_step > 0) {
      return false;
    }
    const int64_t rank = parts_.front().front();
    const std::vector<const Sample*>& samples = optimizer_.samples.at(rank);
    const auto last = std::find_if(samples.rbegin(), samples.rend(), [](const Sample* sample) { return sample; });
    const Sample* first = split_.split.before ? samples[*split_.split.before] : nullptr;
    bool is_known = false;
    for (const SampledGroup& group : first == nullptr ? std::vector<SampledGroup>() : first->groups) {
      const auto shared = facts_.groups.find({rank, group.name});
      const auto later = std::find_if((*last)->groups.begin(), (*last)->groups.end(), [&group](const auto& other) {
        return other.name == group.name;
      });
      if (shared == facts_.groups.end() || later == (*last)->groups.end() || shared->second.ranks.size() < 2) {
        continue;
      }
      if (later->collectives != group.collectives) {
        return false;
      }
      is_known = true;
    }
    return is_known;
  }

  VerifyClass classOfReplica() const {
    if (!split_.split.before) {
      return VerifyClass::kNeverEqual;
    }
    return isProven() ? VerifyClass::kDrift : VerifyClass::kDeclared;
  }

  /// Returns whether the ranks are as far apart as rounding brings them, and nothing else explains it better.
  bool isRounding() const {
    const ReplicaSplit& split = split_.split;
    const SplitDifference& difference = split_.difference;
    const uint64_t before = split.before ? optimizer_.steps[*split.before] : 0;
    const RoundingBounds bounds = roundingBounds(
        split.parts.front().front()->facts->dtype, facts_.coarse_dtype, optimizer_.steps[split.step] - before);
    const std::optional<double> gradients = difference.is_of_update       ? 0.0
                                            : difference.gradients == 0.0 ? std::nullopt
                                                                          : difference.gradients;
    return difference.values && commtap::isRounding(*difference.values, gradients, bounds) &&
           difference.cause != DifferenceCause::kFrozen && difference.cause != DifferenceCause::kNoGradient &&
           !isOneSided();
  }

  /// Returns whether some ranks change the values again and again, and others never do: no rounding loses each update
  /// of all elements.
  bool isOneSided() const {
    constexpr size_t kFewestChanges = 3;
    constexpr int64_t kFewestElements = 64;
    const std::vector<RankTracks>& parts = split_.split.parts;
    const int64_t elements = elementsOf(parts.front().front()->facts->local_shape);
    const auto changes = [](size_t fewest) {
      return [fewest](const RankTracks& part) { return changesOf(*part.front()) >= fewest; };
    };
    return elements >= kFewestElements && std::any_of(parts.begin(), parts.end(), changes(kFewestChanges)) &&
           !std::all_of(parts.begin(), parts.end(), changes(1));
  }

  /// Returns whether no average can have made the parts equal again: a broadcast or gather replaced what some of them
  /// had trained, or it had brought the values of a model that no optimizer here has, and brought them wrongly.
  bool isOverwritten() const {
    const std::vector<RankTracks>& parts = split_.split.parts;
    const auto is_held = [](const RankTracks& part) { return part.front()->facts->is_in_optimizer; };
    if (std::none_of(parts.begin(), parts.end(), is_held)) {
      return isProven() && std::all_of(parts.begin(), parts.end(), hasGradients);
    }
    return std::all_of(parts.begin(), parts.end(), is_held) &&
           std::none_of(parts_.begin() + 1, parts_.end(), [this](const std::vector<int64_t>& part) {
             return facts_.mayAverage(parts_.front(), part);
           });
  }

  /// Returns whether the module that has the parameter has another one that differs between the parts at the start:
  /// then this one, though it started with one value as on each rank, is a part of a shard too.
  bool hasShardedSibling() {
    const std::string& name = split_.track->name;
    const size_t end = name.rfind('.');
    return end != std::string::npos && startsDiffer(std::string_view(name).substr(0, end));
  }

  bool hasExchange() const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (size_t k = i + 1; k < parts_.size(); ++k) {
        if (facts_.hasExchange(parts_[i], parts_[k])) {
          return true;
        }
      }
    }
    return false;
  }

  bool startsDiffer(std::string_view module) const {
    return std::any_of(parts_.begin() + 1, parts_.end(), [&](const std::vector<int64_t>& part) {
      return all_.startsDiffer(parts_.front().front(), part.front(), module);
    });
  }

  /// Returns whether a DistributedDataParallel on each of the parts has the parameter, over a group of one rank.
  bool isReducedAlone() const {
    return std::all_of(split_.split.parts.begin(), split_.split.parts.end(), [](const RankTracks& part) {
      return part.front()->facts->ddp_ranks.size() == 1;
    });
  }

  std::optional<SplitVerdict> unprovenVerdict() {
    if (isRankCopy(split_.split)) {
      return note(VerifyClass::kRankCopy);
    }
    const PartsFacts& facts = all_.of(parts_);
    const bool is_constant = split_.set->is_constant;
    if (facts.has_messages && facts.in_step < facts.split && (is_constant || !facts.others_differ)) {
      return std::nullopt; // stages of a pipeline
    }
    if (is_constant && hasShardedSibling()) {
      return std::nullopt;
    }
    // Ranks with other experts share the rest of the model. Sequence parallel ranks, which exchange values too, share
    // all.
    const bool shares_model = facts.in_step > 0 || facts.has_shards;
    const std::string_view experts = facts_.expertsAbove(split_.track->name);
    if (!experts.empty() && shares_model && hasExchange()) {
      if (is_constant) {
        return std::nullopt;
      }
      if (!startsDiffer(experts)) {
        return note(VerifyClass::kExperts);
      }
    }
    if (facts.in_step == 0 && is_constant) {
      return follower();
    }
    if (isReducedAlone()) {
      return warning(VerifyClass::kLoneReductions);
    }
    const bool is_among_others = facts.in_step > 0 || (!is_constant && facts.others_differ);
    return warning(is_among_others ? VerifyClass::kUnproven : VerifyClass::kSeparate);
  }

  const SplitSet& split_;
  const SampledOptimizer& optimizer_;
  RankPartsFacts& all_;
  const JobFacts& facts_;
  RankParts parts_;
};

} // namespace

bool isRankCopy(const ReplicaSplit& split) {
  const auto has_changed = [&split](const RankTracks& part) {
    const SampleRow* old = split.before ? part.front()->row(*split.before) : nullptr;
    return old == nullptr ? changesOf(*part.front()) > 0 : old->value.bits != part.front()->row(split.step)->value.bits;
  };
  return !split.parts.front().front()->facts->is_in_optimizer &&
         !std::all_of(split.parts.begin(), split.parts.end(), hasGradients) &&
         !std::all_of(split.parts.begin(), split.parts.end(), has_changed);
}

bool isFollower(VerifySeverity severity, VerifyClass what) {
  return severity == VerifySeverity::kNote && what == VerifyClass::kSeparate;
}

std::optional<SplitVerdict>
classOf(const SplitSet& split, const SampledOptimizer& optimizer, RankPartsFacts& parts, const JobFacts& facts) {
  return SplitJudge(split, optimizer, parts, facts).verdict();
}

} // namespace commtap
