// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/verify_judge.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "report/replicas/parameter_tracks.h"
#include "report/replicas/row_rules.h"
#include "report/verify/faults.h"
#include "report/verify/replica_faults.h"

namespace commtap {
namespace {

JobFacts withExperts(JobFacts facts, const ParameterTracks& tracks) {
  std::set<std::string> modules;
  for (std::string& module : facts.all_to_all_modules) {
    modules.insert(withParameters(std::move(module), tracks));
  }
  modules.erase("");
  facts.all_to_all_modules.assign(modules.begin(), modules.end());
  return facts;
}

/// Returns whether a rank has a sample without the parameter, which another one has.
bool isIncomplete(
    const ParameterTrack& track,
    const SampledOptimizer& optimizer,
    const std::set<const Sample*>& apart) {
  return std::any_of(track.ranks.begin(), track.ranks.end(), [&](const RankTrack& rank) {
    const std::vector<const Sample*>& samples = optimizer.samples.at(rank.rank);
    for (size_t step = 0; step < samples.size(); ++step) {
      if (samples[step] != nullptr && rank.row(step) == nullptr && !apart.contains(samples[step])) {
        return true;
      }
    }
    return false;
  });
}

void describeSamples(const ParameterTracks& tracks, const std::set<const Sample*>& apart, Verification& result) {
  result.apart = apart.size();
  result.optimizers = tracks.optimizers().size();
  const auto is_incomplete = [&](const ParameterTrack& track) {
    return isIncomplete(track, tracks.optimizerOf(track), apart);
  };
  result.incomplete = static_cast<uint64_t>(std::count_if(tracks.all().begin(), tracks.all().end(), is_incomplete));
  for (const auto& [number, optimizer] : tracks.optimizers()) {
    for (size_t step = 0; step < optimizer.steps.size(); ++step) {
      const auto count = std::count_if(optimizer.samples.begin(), optimizer.samples.end(), [step](const auto& entry) {
        return entry.second[step] != nullptr;
      });
      const bool is_compared = std::none_of(optimizer.samples.begin(), optimizer.samples.end(), [&](const auto& entry) {
        return apart.contains(entry.second[step]);
      });
      if (count > 1 && is_compared) {
        ++result.samples;
        result.first_step = std::min(result.first_step.value_or(optimizer.steps[step]), optimizer.steps[step]);
        result.last_step = std::max(result.last_step.value_or(0), optimizer.steps[step]);
      }
    }
  }
}

void describeReplicas(const ReplicaFaults& replicas, Verification& result) {
  result.replicated = replicas.replicated();
  result.equal = replicas.equal();
  result.sharded = replicas.sharded();
  std::vector<std::pair<size_t, std::vector<int64_t>>> sets;
  for (const auto& [ranks, count] : replicas.replicas()) {
    sets.emplace_back(count, ranks);
  }
  std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [count, ranks] : sets) {
    result.replicas.push_back(verifyRanksOf({std::move(ranks)}));
  }
}

VerifyStatus statusOf(const Verification& result) {
  if (!result.findings.empty() && result.findings.front().severity == VerifySeverity::kError) {
    return VerifyStatus::kWrong;
  }
  if (!result.findings.empty() && result.findings.front().severity == VerifySeverity::kWarning) {
    return VerifyStatus::kSuspect;
  }
  return result.replicated == 0 && result.reductions == 0 ? VerifyStatus::kNothingToCompare : VerifyStatus::kOk;
}

} // namespace

Verification verify(std::span<const ProcessSamples> processes, const JobFacts& job_facts) {
  const ParameterTracks all(processes);
  const std::set<const Sample*> apart = samplesApart(all, job_facts);
  const std::optional<ParameterTracks> aligned =
      apart.empty() ? std::nullopt : std::optional<ParameterTracks>(std::in_place, processes, apart);
  const ParameterTracks& tracks = aligned ? *aligned : all;
  const JobFacts facts = withExperts(job_facts, tracks);
  const ReplicaFaults replicas(tracks, facts);
  Verification result;
  if (!processes.empty()) {
    const Job& job = processes.front().job;
    result.run_id = job.run_id;
    result.attempt = job.attempt;
    result.world_size = job.world_size;
  }
  result.ranks = rangesOf(tracks.ranks());
  std::set<std::string_view> names; // two optimizers may have one parameter
  for (const ParameterTrack& track : tracks.all()) {
    names.insert(track.name);
  }
  result.parameters = names.size();
  describeSamples(tracks, apart, result);
  describeReplicas(replicas, result);
  const std::vector<StepSamples> steps = stepSamples(tracks, facts);
  const ComparedInputs inputs = comparedInputs(steps);
  result.reductions = inputs.reductions;
  result.rows = inputs.rows;
  std::vector<FoundFault> faults = replicas.faults();
  for (const auto& more :
       {stepFaults(all, facts),
        shardFaults(tracks, facts),
        trainingFaults(tracks, facts),
        rowFaults(tracks, facts),
        inputFaults(steps, tracks),
        dataFaults(steps, facts)}) {
    faults.insert(faults.end(), more.begin(), more.end());
  }
  result.findings = groupedFaults(faults);
  result.status = statusOf(result);
  return result;
}

} // namespace commtap
