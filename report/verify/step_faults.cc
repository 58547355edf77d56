// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/replicas/replica_split.h"

namespace commtap {
namespace {

FoundFault faultOf(VerifySeverity severity, VerifyClass what, std::string group) {
  FoundFault fault;
  fault.finding.severity = severity;
  fault.finding.what = what;
  fault.finding.group = std::move(group);
  return fault;
}

/// Returns the ranks of groups as one part: they are not compared.
RankParts partOf(const std::vector<GroupRanks>& groups) {
  std::vector<int64_t> ranks;
  for (const GroupRanks& members : groups) {
    ranks.insert(ranks.end(), members.begin(), members.end());
  }
  std::sort(ranks.begin(), ranks.end());
  return {std::move(ranks)};
}

/// Steps are those of the reports, which are the updates' in most jobs.
FoundFault faultOf(const StoppedReductions& stop) {
  FoundFault fault = faultOf(VerifySeverity::kWarning, VerifyClass::kReductionsStop, stop.group);
  fault.finding.before = stop.last_step;
  fault.finding.step = stop.last_step + 1;
  fault.finding.last_step = stop.end_step;
  fault.parts = partOf(stop.members);
  return fault;
}

bool hasGradient(const ParameterTrack& track) {
  return std::any_of(track.ranks.begin(), track.ranks.end(), [](const RankTrack& rank) {
    return std::any_of(rank.rows.begin(), rank.rows.end(), [](const SampleRow* row) {
      return row != nullptr && row->has_gradient && row->gradient.squares > 0;
    });
  });
}

/// Returns whether a parameter of the module has a gradient: a frozen one needs no way back. The parameters of a module
/// that has none are those of the one above it.
bool isTrained(const std::string& module, const ParameterTracks& tracks) {
  const std::string holder = withParameters(module, tracks);
  return !holder.empty() && std::any_of(tracks.all().begin(), tracks.all().end(), [&](const ParameterTrack& track) {
    return isBelow(track.name, holder) && hasGradient(track);
  });
}

/// Returns whether nothing communicates between ranks of a mesh's dimension, be it in a group with more ranks.
bool isUnused(const std::set<GroupRanks>& groups, const JobFacts& facts) {
  return std::all_of(groups.begin(), groups.end(), [&facts](const GroupRanks& ranks) {
    const std::vector<int64_t> one{ranks.front()};
    const std::vector<int64_t> others(ranks.begin() + 1, ranks.end());
    return !facts.mayAverage(one, others) && !facts.exchangesInForward(one, others) &&
           !facts.mayBeMadeEqual(one, others) && !facts.reducesInBackward(one, others);
  });
}

} // namespace

std::vector<FoundFault> rowFaults(const ParameterTracks& tracks, const JobFacts& facts) {
  std::vector<FoundFault> faults;
  for (const StoppedReductions& stop : facts.stopped) {
    faults.push_back(faultOf(stop));
  }
  for (const OneWayModules& one_way : facts.one_way) {
    FoundFault fault = faultOf(VerifySeverity::kNote, VerifyClass::kOneWay, one_way.group);
    std::copy_if(
        one_way.modules.begin(),
        one_way.modules.end(),
        std::back_inserter(fault.finding.modules),
        [&tracks](const std::string& module) { return isTrained(module, tracks); });
    if (!fault.finding.modules.empty()) {
      fault.parts = partOf(one_way.members);
      faults.push_back(std::move(fault));
    }
  }
  if (!facts.lone_reductions.empty() && tracks.ranks().size() > 1) {
    faults.push_back(faultOf(VerifySeverity::kNote, VerifyClass::kLoneReductions, facts.lone_reductions));
    faults.back().parts = {tracks.ranks()};
  }
  for (const auto& [dimension, groups] : facts.idle_dimensions) {
    if (!facts.backwards.empty() && isUnused(groups, facts)) {
      faults.push_back(faultOf(VerifySeverity::kNote, VerifyClass::kUnusedDimension, dimension));
      faults.back().parts = partOf({groups.begin(), groups.end()});
    }
  }
  return faults;
}

namespace {

bool areEqual(const Issued& issued) {
  return std::all_of(
      issued.begin(), issued.end(), [&issued](const auto& entry) { return entry.second == issued.begin()->second; });
}

/// The ranks ahead of the others, and by how much.
struct Lead {
  std::vector<int64_t> ahead;
  std::vector<int64_t> behind;
  uint64_t collectives = 0;
};

/// Returns nullopt unless the ranks stand at two numbers.
std::optional<Lead> leadIn(const Issued& issued) {
  Lead lead;
  uint64_t most = 0;
  uint64_t least = UINT64_MAX;
  for (const auto& [rank, count] : issued) {
    most = std::max(most, count);
    least = std::min(least, count);
  }
  for (const auto& [rank, count] : issued) {
    if (count != most && count != least) {
      return std::nullopt;
    }
    (count == most ? lead.ahead : lead.behind).push_back(rank);
  }
  lead.collectives = most - least;
  return lead.collectives > 0 ? std::optional(lead) : std::nullopt;
}

/// A step that some ranks skipped: the fault without the values that show it.
struct SkippedStep {
  FoundFault fault;
  size_t before = 0; ///< place of the last sample in which the ranks had issued equally many collectives
  const std::vector<Issued>* issued = nullptr;
};

/// Returns whether the ranks are ahead as before, or by further whole steps.
bool isAheadAsBefore(const Issued& later, const Lead& lead, uint64_t per_step) {
  const std::optional<Lead> now = leadIn(later);
  return later.size() < 2 || (now && now->ahead == lead.ahead && now->behind == lead.behind &&
                              now->collectives >= lead.collectives && now->collectives % per_step == 0);
}

/// A rank that skips a step is ahead by the collectives of one or more steps, from then on: its next step is the same
/// in number, and a later one of the job. Anything else is a rank that issues its collectives earlier or later.
std::optional<SkippedStep> skippedIn(const std::vector<Issued>& issued, const std::vector<uint64_t>& steps) {
  size_t before = issued.size();
  for (size_t step = 0; step < issued.size(); ++step) {
    if (issued[step].size() < 2) {
      continue;
    }
    if (areEqual(issued[step])) {
      before = step;
      continue;
    }
    const std::optional<Lead> lead = leadIn(issued[step]);
    if (before >= step || !lead) {
      return std::nullopt;
    }
    const uint64_t made = issued[step].at(lead->behind.front()) - issued[before].begin()->second;
    const uint64_t passed = steps[step] - steps[before];
    const bool is_regular = made > 0 && made % passed == 0 && lead->collectives % (made / passed) == 0;
    const auto goes_on = [&](const Issued& later) { return isAheadAsBefore(later, *lead, made / passed); };
    if (!is_regular || !std::all_of(issued.begin() + static_cast<std::ptrdiff_t>(step), issued.end(), goes_on)) {
      return std::nullopt;
    }
    FoundFault fault;
    fault.finding.what = VerifyClass::kSkippedStep;
    fault.finding.before = steps[before];
    fault.finding.step = steps[step];
    fault.finding.collectives = lead->collectives;
    fault.finding.cause_ranks = rangesOf(lead->ahead);
    fault.parts = {lead->behind, lead->ahead};
    return SkippedStep{std::move(fault), before, &issued};
  }
  return std::nullopt;
}

/// Two samples of one moment of the job: of ranks behind, and of ranks ahead, which took theirs in an earlier step.
struct SameMoment {
  size_t behind = 0;
  size_t ahead = 0;
};

/// Returns the moments, since a step was skipped, of which both ranks have a sample.
std::vector<SameMoment> sameMoments(const std::vector<Issued>& issued, int64_t behind, int64_t ahead, size_t from) {
  std::vector<SameMoment> moments;
  for (size_t i = from; i < issued.size(); ++i) {
    for (size_t k = i + 1; issued[i].contains(ahead) && k < issued.size(); ++k) {
      if (issued[k].contains(behind) && issued[k].at(behind) == issued[i].at(ahead)) {
        moments.push_back({k, i});
      }
    }
  }
  return moments;
}

using RowPair = std::pair<const SampleRow*, const SampleRow*>;

/// Returns the rows of the moments on two ranks, that behind first, if the parameter was equal on them before.
std::vector<RowPair>
replicaRows(const RankTrack* behind, const RankTrack* ahead, size_t before, const std::vector<SameMoment>& moments) {
  if (behind == nullptr || ahead == nullptr) {
    return {};
  }
  const SampleRow* one = behind->row(before);
  const SampleRow* other = ahead->row(before);
  if (one == nullptr || other == nullptr || one->value.bits != other->value.bits) {
    return {};
  }
  std::vector<RowPair> rows;
  for (const SameMoment& moment : moments) {
    const RowPair pair(behind->row(moment.behind), ahead->row(moment.ahead));
    if (pair.first != nullptr && pair.second != nullptr) {
      rows.push_back(pair);
    }
  }
  return rows;
}

/// Returns the skipped step as an error of each parameter that earlier samples prove to be a replica, if nothing makes
/// the ranks equal again, else as a warning. For skips that no two samples of one moment show.
std::vector<FoundFault>
withoutValues(const SkippedStep& skipped, const ParameterTracks& tracks, const JobFacts& facts) {
  const RankParts& parts = skipped.fault.parts;
  std::vector<FoundFault> faults;
  for (const ParameterTrack& track : tracks.all()) {
    const RankTrack* behind = track.of(parts[0].front());
    const RankTrack* ahead = track.of(parts[1].front());
    if (track.optimizer != skipped.fault.finding.optimizer || behind == nullptr || ahead == nullptr) {
      continue;
    }
    const ReplicaEvidence proof = proofOf({behind, ahead}, skipped.before + 1);
    if (proof != ReplicaEvidence::kNone && !facts.mayBeMadeEqual(parts[0], parts[1])) {
      FoundFault& fault = faults.emplace_back(skipped.fault);
      fault.finding.severity = VerifySeverity::kError;
      fault.finding.evidence = proof;
      fault.parameter = track.name;
    }
  }
  if (faults.empty()) {
    faults.push_back(skipped.fault);
    faults.back().finding.severity = VerifySeverity::kWarning;
  }
  return faults;
}

/// Returns the skipped step as a fault of each replica whose values show it. If the values of all replicas are equal at
/// one, none was skipped: ranks had uneven inputs, and others communicated for them.
std::vector<FoundFault> withValues(const SkippedStep& skipped, const ParameterTracks& tracks, const JobFacts& facts) {
  const int64_t behind = skipped.fault.parts[0].front();
  const int64_t ahead = skipped.fault.parts[1].front();
  const std::vector<SameMoment> moments = sameMoments(*skipped.issued, behind, ahead, skipped.before + 1);
  std::vector<FoundFault> faults;
  bool is_compared = false;
  for (const ParameterTrack& track : tracks.all()) {
    if (track.optimizer != skipped.fault.finding.optimizer) {
      continue;
    }
    const std::vector<RowPair> rows = replicaRows(track.of(behind), track.of(ahead), skipped.before, moments);
    is_compared = is_compared || !rows.empty();
    const auto differs = std::find_if(rows.begin(), rows.end(), [](const RowPair& pair) {
      return pair.first->value.bits != pair.second->value.bits;
    });
    if (differs != rows.end()) {
      const auto& [one, other] = *differs;
      FoundFault& fault = faults.emplace_back(skipped.fault);
      fault.finding.severity = VerifySeverity::kError;
      fault.finding.value_distance = replicaDistance(one->value, other->value, one->has_sums && other->has_sums);
      fault.parameter = track.name;
    }
  }
  return is_compared ? faults : withoutValues(skipped, tracks, facts);
}

/// Returns the ranks whose last sample is of an earlier step than that of the others.
std::optional<FoundFault> fewerSteps(uint32_t number, const SampledOptimizer& optimizer) {
  std::map<size_t, std::vector<int64_t>> by_last;
  for (const auto& [rank, samples] : optimizer.samples) {
    const auto last = std::find_if(samples.rbegin(), samples.rend(), [](const Sample* sample) { return sample; });
    by_last[static_cast<size_t>(samples.rend() - last)].push_back(rank);
  }
  if (by_last.size() < 2) {
    return std::nullopt;
  }
  FoundFault fault;
  fault.finding.what = VerifyClass::kFewerSteps;
  fault.finding.optimizer = number;
  fault.finding.before = optimizer.steps[by_last.begin()->first - 1];
  fault.finding.last_step = optimizer.steps[by_last.rbegin()->first - 1];
  fault.finding.cause_ranks = rangesOf(by_last.begin()->second);
  for (auto entry = by_last.rbegin(); entry != by_last.rend(); ++entry) {
    fault.parts.push_back(std::move(entry->second));
  }
  return fault;
}

/// Returns the steps that ranks of an optimizer skipped: one per ranks, of the group in which they are ahead by most.
std::vector<FoundFault>
skippedSteps(uint32_t number, const SampledOptimizer& optimizer, const ParameterTracks& tracks, const JobFacts& facts) {
  std::map<RankParts, SkippedStep> skipped;
  const std::map<GroupKey, std::vector<Issued>> groups = issuedCollectives(optimizer, facts);
  for (const auto& [group, issued] : groups) {
    std::optional<SkippedStep> found = skippedIn(issued, optimizer.steps);
    if (!found) {
      continue;
    }
    found->fault.finding.optimizer = number;
    found->fault.finding.group = group.second.title;
    SkippedStep& most = skipped.emplace(found->fault.parts, *found).first->second;
    if (most.fault.finding.collectives < found->fault.finding.collectives) {
      most = std::move(*found);
    }
  }
  std::vector<FoundFault> faults;
  for (const auto& [parts, found] : skipped) {
    const std::vector<FoundFault> of_values = withValues(found, tracks, facts);
    faults.insert(faults.end(), of_values.begin(), of_values.end());
  }
  return faults;
}

} // namespace

std::vector<FoundFault> stepFaults(const ParameterTracks& tracks, const JobFacts& facts) {
  std::vector<FoundFault> faults;
  for (const auto& [number, optimizer] : tracks.optimizers()) {
    const std::vector<FoundFault> skipped = skippedSteps(number, optimizer, tracks, facts);
    faults.insert(faults.end(), skipped.begin(), skipped.end());
    if (std::optional<FoundFault> fault = fewerSteps(number, optimizer)) {
      faults.push_back(std::move(*fault));
    }
  }
  return faults;
}

} // namespace commtap
