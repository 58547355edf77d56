// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_sets.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include "report/replicas/replica_split.h"

#include "report/replicas/job_facts.h"

namespace commtap {
namespace {

bool isShardedOn(const std::string& placement) {
  return placement.find("Shard") != std::string::npos;
}
bool isPartial(const std::string& placement) {
  return placement.find("Partial") != std::string::npos;
}

std::string listText(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += std::to_string(number) + ",";
  }
  return text;
}

bool isEmpty(const std::vector<int64_t>& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// Returns the placements, and the place on the dimensions that shard.
std::string placeInMesh(const SampledParameter& facts) {
  std::string text;
  for (size_t i = 0; i < facts.placements.size(); ++i) {
    text += facts.placements[i] + ";";
    if (isShardedOn(facts.placements[i])) {
      text += (i < facts.coordinate.size() ? std::to_string(facts.coordinate[i]) : "?") + ";";
    }
  }
  return text;
}

/// Returns the place of a tensor parallel shard in its group. Where that is not known, constant shards of ranks look
/// like replicas: each has a place of its own.
std::string placeInTensorGroup(const RankTrack& track, const JobFacts& facts) {
  if (const GroupRanks* group = facts.tensorGroupOf(track.rank)) {
    const auto found = std::find(group->begin(), group->end(), static_cast<uint32_t>(track.rank));
    return "part " + std::to_string(found - group->begin());
  }
  return firstRowOf(track).value.is_constant ? "rank " + std::to_string(track.rank) : "";
}

/// Returns which declaration of a kind the rank's parameter has; "" for none. Ranks with the same text hold replicas.
std::string declarationOf(const RankTrack& track, ReplicaEvidence kind, const JobFacts& job) {
  const SampledParameter& facts = *track.facts;
  const GroupRanks* group = nullptr;
  switch (kind) {
    case ReplicaEvidence::kMesh: // one whose ranks could not be read may be another one
      return facts.mesh.find("\"ranks\":null") == std::string::npos ? facts.mesh : "";
    case ReplicaEvidence::kTensorParallel:
      group = job.tensorGroupOf(track.rank);
      return group != nullptr && facts.tensor_model_parallel != true && facts.allreduce != false &&
                     (facts.sequence_parallel == true || facts.tensor_model_parallel == false)
                 ? listText(std::vector<int64_t>(group->begin(), group->end()))
                 : "";
    case ReplicaEvidence::kDdp:
      return listText(facts.ddp_ranks);
    case ReplicaEvidence::kFlatParameter: {
      const Digest& first = firstRowOf(track).value;
      return facts.is_fsdp1_flat && !first.is_constant ? std::to_string(first.bits) : "";
    }
    default:
      return "";
  }
}

constexpr ReplicaEvidence kDeclarations[] = {
    ReplicaEvidence::kMesh,
    ReplicaEvidence::kTensorParallel,
    ReplicaEvidence::kDdp,
    ReplicaEvidence::kFlatParameter,
};

/// Joins what has members in common.
class Unions {
 public:
  explicit Unions(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }
  size_t rootOf(size_t place) const {
    while (parents_[place] != place) {
      place = parents_[place];
    }
    return place;
  }
  void join(size_t a, size_t b) {
    parents_[std::max(rootOf(a), rootOf(b))] = std::min(rootOf(a), rootOf(b));
  }

 private:
  std::vector<size_t> parents_;
};

ReplicaSet setOf(RankTracks members, ReplicaEvidence evidence) {
  ReplicaSet set;
  set.start = commonStepOf(members);
  const auto present = std::find_if(
      members.begin(), members.end(), [&set](const RankTrack* rank) { return rank->row(set.start) != nullptr; });
  set.is_constant = (*present)->row(set.start)->value.is_constant;
  set.is_expert = members.front()->facts->allreduce == false;
  set.evidence = evidence;
  set.members = std::move(members);
  return set;
}

/// Returns the sets of ranks that declarations join, those of one rank too.
std::vector<ReplicaSet> declaredSets(const RankTracks& ranks, const JobFacts& facts) {
  Unions unions(ranks.size());
  std::map<size_t, ReplicaEvidence> joined_by;
  for (const ReplicaEvidence kind : kDeclarations) {
    std::map<std::string, size_t> first;
    for (size_t i = 0; i < ranks.size(); ++i) {
      const std::string declaration = declarationOf(*ranks[i], kind, facts);
      if (const auto [same, is_new] = first.emplace(declaration, i); !declaration.empty() && !is_new) {
        unions.join(same->second, i);
        joined_by.emplace(i, kind);
      }
    }
  }
  std::map<size_t, ReplicaSet> sets;
  for (size_t i = 0; i < ranks.size(); ++i) {
    ReplicaSet& set = sets[unions.rootOf(i)];
    set.members.push_back(ranks[i]);
    if (const auto kind = joined_by.find(i); kind != joined_by.end() && !set.isDeclared()) {
      set.evidence = kind->second;
    }
  }
  std::vector<ReplicaSet> list;
  for (auto& [root, set] : sets) {
    list.push_back(setOf(std::move(set.members), set.evidence));
  }
  return list;
}

/// Returns the bits of a set's values at a step; nullopt if no member has a sample, or they differ.
std::optional<uint64_t> bitsAt(const ReplicaSet& set, size_t step) {
  std::optional<uint64_t> bits;
  for (const RankTrack* member : set.members) {
    if (const SampleRow* row = member->row(step)) {
      if (bits && *bits != row->value.bits) {
        return std::nullopt;
      }
      bits = row->value.bits;
    }
  }
  return bits;
}

RankTracks membersOf(const std::vector<const ReplicaSet*>& sets) {
  RankTracks members;
  for (const ReplicaSet* set : sets) {
    members.insert(members.end(), set->members.begin(), set->members.end());
  }
  std::sort(members.begin(), members.end(), [](const RankTrack* a, const RankTrack* b) { return a->rank < b->rank; });
  return members;
}

ReplicaSet equalSetOf(const std::vector<const ReplicaSet*>& parts) {
  ReplicaSet set = setOf(membersOf(parts), ReplicaEvidence::kStart);
  for (const ReplicaSet* part : parts) {
    set.declared.push_back(part->members);
  }
  return set;
}

using EqualSets = std::map<uint64_t, std::vector<const ReplicaSet*>>;

/// Returns the sets that started equal and that no declaration joins. Ranks without a sample of the step that most
/// others have are compared among themselves.
std::vector<ReplicaSet> equalSets(const std::vector<ReplicaSet>& declared) {
  std::vector<const ReplicaSet*> rest;
  for (const ReplicaSet& set : declared) {
    if (bitsAt(set, set.start)) { // else the declared set is broken from the start, which is its own finding
      rest.push_back(&set);
    }
  }
  std::vector<ReplicaSet> sets;
  while (!rest.empty()) {
    const size_t start = commonStepOf(membersOf(rest));
    EqualSets equal;
    std::vector<const ReplicaSet*> absent;
    for (const ReplicaSet* set : rest) {
      const std::optional<uint64_t> bits = bitsAt(*set, start);
      (bits ? equal[*bits] : absent).push_back(set);
    }
    for (const auto& [bits, parts] : equal) {
      if (parts.size() > 1) {
        sets.push_back(equalSetOf(parts));
      }
    }
    rest = equal.empty() ? std::vector<const ReplicaSet*>() : std::move(absent);
  }
  return sets;
}

} // namespace

std::string comparableKey(const RankTrack& track, const JobFacts& facts) {
  const SampledParameter& parameter = *track.facts;
  const bool is_partial = std::any_of(parameter.placements.begin(), parameter.placements.end(), isPartial);
  // Only its place in the optimizer names a parameter without a model's name: another rank may have another one there.
  const bool is_vague = !parameter.has_model_name && firstRowOf(track).value.is_constant;
  if (is_partial || is_vague || isEmpty(parameter.local_shape)) {
    return "";
  }
  const bool is_tensor_shard = parameter.tensor_model_parallel == true;
  return parameter.dtype + " " + listText(parameter.local_shape) + " " + placeInMesh(parameter) +
         (is_tensor_shard ? placeInTensorGroup(track, facts) : "");
}

bool isDeclaredShard(const SampledParameter& facts) {
  return facts.is_fsdp1_flat || facts.tensor_model_parallel == true ||
         std::any_of(facts.placements.begin(), facts.placements.end(), isShardedOn);
}

std::vector<RankTracks> comparableRanks(const ParameterTrack& track, const JobFacts& facts) {
  std::map<std::string, RankTracks> by_key;
  for (const RankTrack& rank : track.ranks) {
    if (std::string key = comparableKey(rank, facts); !key.empty()) {
      by_key[std::move(key)].push_back(&rank);
    }
  }
  std::vector<RankTracks> all;
  for (auto& [key, ranks] : by_key) {
    if (ranks.size() > 1) {
      all.push_back(std::move(ranks));
    }
  }
  return all;
}

std::vector<ReplicaSet> replicaSetsOf(const ParameterTrack& track, const JobFacts& facts) {
  std::vector<ReplicaSet> all;
  for (const RankTracks& ranks : comparableRanks(track, facts)) {
    const std::vector<ReplicaSet> declared = declaredSets(ranks, facts);
    std::copy_if(declared.begin(), declared.end(), std::back_inserter(all), [](const ReplicaSet& set) {
      return set.members.size() > 1;
    });
    const std::vector<ReplicaSet> equal = equalSets(declared);
    all.insert(all.end(), equal.begin(), equal.end());
  }
  return all;
}

namespace {

bool containsAny(const std::vector<int64_t>& sorted, const std::vector<int64_t>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [&sorted](int64_t rank) {
    return std::binary_search(sorted.begin(), sorted.end(), rank);
  });
}

/// Returns whether a rank of the first part is in the set, and one of another part.
bool joins(const std::vector<int64_t>& set, const RankParts& parts) {
  return containsAny(set, parts.front()) &&
         std::any_of(parts.begin() + 1, parts.end(), [&set](const auto& part) { return containsAny(set, part); });
}

/// Returns the place of the part that has the rank; the number of parts for none.
size_t partOf(const RankParts& parts, int64_t rank) {
  const auto found = std::find_if(parts.begin(), parts.end(), [rank](const std::vector<int64_t>& part) {
    return std::binary_search(part.begin(), part.end(), rank);
  });
  return static_cast<size_t>(found - parts.begin());
}

/// Returns whether ranks that differ between `parts` differ in `other` too.
bool separates(const RankParts& other, const RankParts& parts) {
  const size_t first = partOf(other, parts.front().front());
  return std::any_of(parts.begin() + 1, parts.end(), [&](const std::vector<int64_t>& part) {
    const size_t place = partOf(other, part.front());
    return first != place && first < other.size() && place < other.size();
  });
}

} // namespace

RankParts ranksOf(const std::vector<RankTracks>& parts) {
  RankParts ranks;
  for (const RankTracks& part : parts) {
    std::vector<int64_t>& numbers = ranks.emplace_back();
    for (const RankTrack* member : part) {
      numbers.push_back(member->rank);
    }
  }
  return ranks;
}

void RankPartsFacts::addInStep(const RankTracks& members) {
  ++in_step_[ranksOf({members}).front()];
}

void RankPartsFacts::addSplit(const std::vector<RankTracks>& parts) {
  ++splits_[ranksOf(parts)];
}

const PartsFacts& RankPartsFacts::of(const RankParts& parts) {
  const auto [place, is_new] = found_.emplace(parts, PartsFacts());
  PartsFacts& facts = place->second;
  if (!is_new) {
    return facts;
  }
  for (const auto& [ranks, count] : in_step_) {
    facts.in_step += joins(ranks, parts) ? count : 0;
  }
  for (const auto& [other, count] : splits_) {
    facts.split += separates(other, parts) ? count : 0;
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    facts.others_differ |= startsDiffer(parts.front().front(), parts[i].front(), "");
    facts.has_shards |= haveShards(parts.front().front(), parts[i].front());
    facts.has_messages |= facts_.hasMessages(parts.front(), parts[i]);
  }
  return facts;
}

bool RankPartsFacts::haveShards(int64_t a, int64_t b) const {
  const std::vector<ParameterTrack>& all = tracks_.all();
  return std::any_of(all.begin(), all.end(), [&](const ParameterTrack& track) {
    const RankTrack* one = track.of(a);
    const RankTrack* other = track.of(b);
    return one != nullptr && other != nullptr && isDeclaredShard(*one->facts) &&
           comparableKey(*one, facts_) != comparableKey(*other, facts_);
  });
}

bool RankPartsFacts::startsDiffer(int64_t a, int64_t b, std::string_view module) const {
  const std::vector<ParameterTrack>& all = tracks_.all();
  return std::any_of(all.begin(), all.end(), [&](const ParameterTrack& track) {
    const RankTrack* one = module.empty() || isBelow(track.name, module) ? track.of(a) : nullptr;
    const RankTrack* other = one == nullptr ? nullptr : track.of(b);
    if (other == nullptr || isDeclaredShard(*one->facts)) {
      return false;
    }
    const size_t start = commonStepOf({one, other});
    const SampleRow* row = one->row(start);
    const SampleRow* other_row = other->row(start);
    return row != nullptr && other_row != nullptr && !row->value.is_constant && !other_row->value.is_constant &&
           row->value.bits != other_row->value.bits && comparableKey(*one, facts_) == comparableKey(*other, facts_);
  });
}

} // namespace commtap
