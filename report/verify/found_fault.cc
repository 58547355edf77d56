// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/job/job_summary.h"
#include "report/replicas/job_facts.h"
#include "report/replicas/parameter_tracks.h"
#include "report/verify/verification.h"

namespace commtap {
namespace {

bool areReplicasApart(const VerifyFinding& finding) {
  switch (finding.what) {
    case VerifyClass::kDrift:
    case VerifyClass::kDeclared:
    case VerifyClass::kUnproven:
    case VerifyClass::kSeparate:
      return true;
    case VerifyClass::kLoneReductions:
      return finding.step.has_value(); // else it is of the reports' rows
    default:
      return false;
  }
}

/// Returns whether the update made equal parameters differ, or they always did.
bool isOfUpdate(const VerifyFinding& finding) {
  return finding.what == VerifyClass::kSameGradient || finding.what == VerifyClass::kNeverEqual;
}

/// Returns whether the fault of the first finding explains the other one too.
bool explains(const VerifyFinding& first, const VerifyFinding& other) {
  if (isOfUpdate(other)) {
    return first.what == other.what;
  }
  if (!areReplicasApart(first) && !isOfUpdate(first)) {
    return false;
  }
  if (other.what == VerifyClass::kRounding) {
    return true; // what is small next to a fault need not be rounding
  }
  if (!areReplicasApart(other)) {
    return false;
  }
  switch (other.cause) {
    case DifferenceCause::kUpdate:
      return first.what == VerifyClass::kSameGradient;
    case DifferenceCause::kGradients:
    case DifferenceCause::kAveraging:
    case DifferenceCause::kUnknown:
      return true;
    default:
      return false; // it has a cause of its own
  }
}

bool mayFollow(const VerifyFinding& first, const VerifyFinding& other) {
  const bool is_proven = first.what == VerifyClass::kDrift && other.what == VerifyClass::kDeclared;
  const bool is_weaker = first.severity < other.severity || isOfUpdate(first) || is_proven;
  const bool is_small = other.what == VerifyClass::kRounding; // a fault may show first where it is small
  const bool is_later = is_small || first.step < other.step || (first.step == other.step && is_weaker);
  return first.severity <= other.severity && first.optimizer == other.optimizer && first.sets == other.sets &&
         is_later && explains(first, other);
}

} // namespace

void foldLater(std::vector<VerifyFinding>& findings) {
  std::vector<VerifyFinding> kept;
  for (VerifyFinding& finding : findings) {
    const auto first = std::find_if(
        kept.begin(), kept.end(), [&finding](const VerifyFinding& other) { return mayFollow(other, finding); });
    if (first == kept.end()) {
      if (!isFollower(finding.severity, finding.what)) {
        kept.push_back(std::move(finding));
      }
      continue;
    }
    first->later_step = std::min(first->later_step.value_or(*finding.step), *finding.step);
    std::move(finding.parameters.begin(), finding.parameters.end(), std::back_inserter(first->later_parameters));
  }
  for (VerifyFinding& finding : kept) {
    std::sort(finding.later_parameters.begin(), finding.later_parameters.end());
  }
  findings = std::move(kept);
}

namespace {

using Alike = std::tuple<
    VerifySeverity,
    VerifyClass,
    uint32_t,
    std::optional<uint64_t>,
    std::optional<uint64_t>,
    DifferenceCause,
    ReplicaEvidence,
    std::string>;

/// Returns what faults of one finding have in common. Rounding is one piece of news, whenever it is first seen.
Alike alike(const VerifyFinding& finding) {
  const bool has_steps = finding.what != VerifyClass::kRounding && finding.what != VerifyClass::kPeriodic;
  return {
      finding.severity,
      finding.what,
      finding.optimizer,
      has_steps ? finding.before : std::nullopt,
      has_steps ? finding.step : std::nullopt,
      has_steps ? finding.cause : DifferenceCause::kUnknown,
      has_steps ? finding.evidence : ReplicaEvidence::kNone,
      finding.group};
}

/// Returns the step for sorting: what is of the whole run comes last.
uint64_t firstStepOf(const VerifyFinding& finding) {
  return finding.step.value_or(std::numeric_limits<uint64_t>::max());
}

double worthOf(const VerifyFinding& finding) {
  return std::max(finding.value_distance.value_or(0), finding.gradient_distance.value_or(0));
}

void addFurther(VerifyFinding& all, const VerifyFinding& one) {
  all.value_distance = std::max(all.value_distance, one.value_distance);
  all.gradient_distance = std::max(all.gradient_distance, one.gradient_distance);
  all.last_step = std::max(all.last_step, one.last_step);
  if (one.step < all.step) { // of rounding: the first of all
    all.step = one.step;
    all.before = one.before;
  }
}

/// Returns one finding of faults with the same ranks, in the order of the model: the parameter that is most apart
/// first, or, if their gradients differ, the one that the backward reaches first, where the fault began.
VerifyFinding joined(std::vector<const FoundFault*> faults) {
  const DifferenceCause cause = faults.front()->finding.cause;
  if (faults.front()->finding.what == VerifyClass::kTied) {
    // The order is that of the ranks.
  } else if (cause == DifferenceCause::kGradients || cause == DifferenceCause::kAveraging) {
    std::reverse(faults.begin(), faults.end());
  } else {
    std::stable_sort(faults.begin(), faults.end(), [](const FoundFault* a, const FoundFault* b) {
      return worthOf(a->finding) > worthOf(b->finding);
    });
  }
  VerifyFinding finding = faults.front()->finding;
  finding.sets = {verifyRanksOf(faults.front()->parts)};
  for (const FoundFault* fault : faults) {
    addFurther(finding, fault->finding);
    if (!fault->parameter.empty()) {
      finding.parameters.push_back(fault->parameter);
    }
  }
  return finding;
}

/// Adds the finding to one that says the same of other ranks, if there is one.
void addToAlike(std::vector<VerifyFinding>& findings, VerifyFinding finding) {
  const auto sorted = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const VerifyFinding& other) {
    return alike(other) == alike(finding) && other.parameters.size() == finding.parameters.size() &&
           sorted(other.parameters) == sorted(finding.parameters);
  });
  if (same == findings.end()) {
    findings.push_back(std::move(finding));
    return;
  }
  addFurther(*same, finding);
  same->sets.insert(same->sets.end(), finding.sets.begin(), finding.sets.end());
}

} // namespace

RankRanges rangesOf(std::vector<int64_t> ranks) {
  return rankRanges(std::move(ranks));
}

VerifyRanks verifyRanksOf(const RankParts& parts) {
  VerifyRanks ranks;
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    if (parts.size() > 1) {
      ranks.parts.push_back(rangesOf(part));
    }
  }
  ranks.ranks = rangesOf(std::move(all));
  return ranks;
}

std::vector<VerifyFinding> groupedFaults(const std::vector<FoundFault>& faults) {
  std::map<std::pair<Alike, RankParts>, std::vector<const FoundFault*>> groups;
  for (const FoundFault& fault : faults) {
    groups[{alike(fault.finding), fault.parts}].push_back(&fault);
  }
  std::vector<VerifyFinding> findings;
  for (const auto& [key, group] : groups) {
    addToAlike(findings, joined(group));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const VerifyFinding& a, const VerifyFinding& b) {
    const auto key = [](const VerifyFinding& finding, size_t parameters) {
      const bool is_weak = finding.evidence != ReplicaEvidence::kGradients;
      return std::tuple(finding.severity, firstStepOf(finding), finding.what, parameters, is_weak);
    };
    return key(a, b.parameters.size()) < key(b, a.parameters.size());
  });
  foldLater(findings);
  return findings;
}

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
  result.unproven = replicas.unproven();
  std::tie(result.buffers, result.equal_buffers) = replicas.buffers();
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
