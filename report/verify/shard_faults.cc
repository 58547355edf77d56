// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/shard_faults.h"

#include <algorithm>
#include <map>
#include <set>

namespace commtap {
namespace {

/// Shards of one tensor that differ in their place on one dimension only: no two of them should be equal.
struct Line {
  std::set<int64_t> places;
  std::set<uint64_t> bits;
  std::set<std::vector<int64_t>> shapes;
  std::vector<int64_t> ranks;
  bool is_constant = false;

  void add(const RankTrack& track, int64_t place) {
    const Digest& value = firstRowOf(track).value;
    places.insert(place);
    bits.insert(value.bits);
    shapes.insert(track.facts->local_shape);
    ranks.push_back(track.rank);
    is_constant |= value.is_constant;
  }
  bool isComparable() const {
    return places.size() > 1 && shapes.size() == 1 && !is_constant;
  }
};

/// A mesh dimension, or a tensor parallel group, on which tensors are sharded.
struct Family {
  ReplicaEvidence evidence = ReplicaEvidence::kMesh;
  std::string name;

  auto operator<=>(const Family&) const = default;
};

using Lines = std::map<Family, std::map<std::vector<int64_t>, Line>>;

void addOfMesh(const RankTrack& track, Lines& lines) {
  const SampledParameter& facts = *track.facts;
  for (size_t i = 0; i < std::min(facts.placements.size(), facts.coordinate.size()); ++i) {
    if (facts.placements[i].find("Shard") != std::string::npos) {
      std::vector<int64_t> others = facts.coordinate;
      others[i] = 0;
      lines[{ReplicaEvidence::kMesh, std::to_string(i) + " of " + facts.mesh}][others].add(track, facts.coordinate[i]);
    }
  }
}

Lines linesOf(const ParameterTrack& track, const JobFacts& facts) {
  Lines lines;
  for (const RankTrack& rank : track.ranks) {
    const GroupRanks* group = facts.tensorGroupOf(rank.rank);
    if (rank.facts->tensor_model_parallel == true && rank.facts->allreduce != false && group != nullptr) {
      lines[{ReplicaEvidence::kTensorParallel, std::to_string(group->front())}][{}].add(rank, rank.rank);
    }
    addOfMesh(rank, lines);
  }
  return lines;
}

/// The parameters of a family.
struct Count {
  size_t all = 0;
  std::vector<FoundFault> twins;
};

FoundFault
twinOf(const ParameterTrack& track, const Family& family, const std::map<std::vector<int64_t>, Line>& lines) {
  FoundFault fault;
  fault.finding.severity = VerifySeverity::kWarning;
  fault.finding.what = VerifyClass::kTwinShards;
  fault.finding.optimizer = track.optimizer;
  fault.finding.evidence = family.evidence;
  fault.parameter = track.name;
  std::vector<int64_t> ranks;
  for (const auto& [others, line] : lines) {
    ranks.insert(ranks.end(), line.ranks.begin(), line.ranks.end());
  }
  std::sort(ranks.begin(), ranks.end());
  fault.parts = {std::move(ranks)};
  return fault;
}

} // namespace

std::vector<FoundFault> shardFaults(const ParameterTracks& tracks, const JobFacts& facts) {
  std::map<Family, Count> counts;
  for (const ParameterTrack& track : tracks.all()) {
    for (const auto& [family, lines] : linesOf(track, facts)) {
      const auto is_comparable = [](const auto& entry) { return entry.second.isComparable(); };
      if (std::all_of(lines.begin(), lines.end(), is_comparable)) {
        Count& count = counts[family];
        ++count.all;
        if (std::all_of(lines.begin(), lines.end(), [](const auto& entry) { return entry.second.bits.size() == 1; })) {
          count.twins.push_back(twinOf(track, family, lines));
        }
      }
    }
  }
  std::vector<FoundFault> faults;
  for (auto& [family, count] : counts) {
    if (2 * count.twins.size() >= count.all) {
      std::move(count.twins.begin(), count.twins.end(), std::back_inserter(faults));
    }
  }
  return faults;
}

} // namespace commtap
