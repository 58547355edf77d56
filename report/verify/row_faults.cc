// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/row_faults.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/replicas/row_facts.h"

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
  return faults;
}

} // namespace commtap
