// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/job/job_summary.h"
#include "report/model/not_seen.h"
#include "report/verify/faults.h"
#include "tools/text/call_text.h"
#include "tools/text/text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
namespace {

std::string setText(const VerifyRanks& set) {
  constexpr size_t kPair = 2;
  if (set.parts.size() != kPair) {
    return someRanksText(set.ranks) +
           (set.parts.empty() ? "" : fmt::format(" ({} different values)", set.parts.size()));
  }
  const auto [first, last] = std::minmax(set.parts[0], set.parts[1]);
  return countOf(first) == 1 && countOf(last) == 1
             ? fmt::format("ranks {} and {}", rangesText(first), rangesText(last))
             : fmt::format("{} and {}", someRanksText(set.parts[0]), someRanksText(set.parts[1]));
}

bool isOne(const VerifyFinding& finding) {
  return finding.parameters.size() == 1;
}

/// Adds what of inputs is missing in the samples, on which ranks and how often.
void addGaps(const RunSamples& run, std::vector<std::string>& lines) {
  std::map<std::string, std::pair<uint64_t, std::vector<int64_t>>> gaps;
  for (const ProcessSamples& process : run.processes) {
    std::map<std::string, uint64_t> of_rank;
    for (const Sample& sample : process.samples) {
      for (const SampledGap& gap : sample.gaps) {
        of_rank[gap.why] += gap.count;
      }
    }
    for (const auto& [why, count] : of_rank) {
      gaps[why].first += count;
      gaps[why].second.push_back(process.job.rank.value_or(-1));
    }
  }
  for (auto& [why, gap] : gaps) {
    std::sort(gap.second.begin(), gap.second.end());
    lines.push_back(fmt::format("{}: {} {}", ranksText(rangesOf(std::move(gap.second))), gap.first, inert(why)));
  }
}

} // namespace

std::string furtherSets(const VerifyFinding& finding) {
  return finding.sets.size() < 2
             ? ""
             : fmt::format(
                   " (and so in {})", counted(finding.sets.size() - 1, "more group of ranks", "more groups of ranks"));
}

std::string distanceText(double distance) {
  std::string text = fmt::format("about {:.2g}", distance);
  if (const size_t exponent = text.find("e-0"); exponent != std::string::npos) {
    text.erase(exponent + 2, 1);
  }
  return text;
}

std::string parametersText(const VerifyFinding& finding) {
  return counted(finding.parameters.size(), "parameter");
}

std::string namesText(const std::vector<std::string>& parameters) {
  const std::string first = parameters.empty() ? "" : inert(parameters.front());
  return parameters.size() < 2 ? first : fmt::format("{} and {} more", first, parameters.size() - 1);
}

std::string someRanksText(const RankRanges& ranges) {
  constexpr size_t kMostShown = 8;
  if (ranges.size() <= kMostShown) {
    return ranksText(ranges);
  }
  const RankRanges first(ranges.begin(), ranges.begin() + kMostShown / 2);
  return fmt::format("{}, ... ({} ranks)", ranksText(first), countOf(ranges));
}

std::string allRanksText(const VerifyFinding& finding) {
  return (finding.sets.empty() ? "" : someRanksText(finding.sets.front().ranks)) + furtherSets(finding);
}

std::string partsText(const VerifyFinding& finding) {
  return (finding.sets.empty() ? "" : setText(finding.sets.front())) + furtherSets(finding);
}

std::string sizeText(const VerifyFinding& finding) {
  return finding.value_distance ? fmt::format(
                                      ", by {}{} of {} size",
                                      isOne(finding) ? "" : "up to ",
                                      distanceText(*finding.value_distance),
                                      isOne(finding) ? "its" : "their")
                                : "";
}

std::string stepsText(const VerifyFinding& finding) {
  const std::string at =
      finding.before ? fmt::format("equal at step {}, different at step {}", *finding.before, finding.step.value_or(0))
                     : fmt::format("different in the first common sample, at step {}", finding.step.value_or(0));
  const std::string later =
      finding.later_parameters.empty()
          ? ""
          : fmt::format("; {} more from step {} on", finding.later_parameters.size(), finding.later_step.value_or(0));
  return namesText(finding.parameters) + ": " + at + sizeText(finding) + later;
}

std::string evidenceText(const VerifyFinding& finding) {
  switch (finding.evidence) {
    case ReplicaEvidence::kMesh:
      return "Replicas by the placements of their DTensors.";
    case ReplicaEvidence::kTensorParallel:
      return "Replicas by Megatron's attributes (sequence_parallel, or tensor_model_parallel is False).";
    case ReplicaEvidence::kDdp:
      return "Replicas of one DistributedDataParallel.";
    case ReplicaEvidence::kFlatParameter:
      return "FSDP1's flat parameter was the same at the start, so these ranks hold the same shard.";
    case ReplicaEvidence::kGradients:
      return "Replicas: in an earlier sample their gradients were equal.";
    case ReplicaEvidence::kChanges:
      return "Replicas: in earlier samples they had changed twice, and were still equal.";
    default:
      return "";
  }
}

std::string causeText(const VerifyFinding& finding) {
  const uint64_t step = finding.gradient_step.value_or(0);
  switch (finding.cause) {
    case DifferenceCause::kFrozen:
      return fmt::format("Frozen on {} (requires_grad is False).", someRanksText(finding.cause_ranks));
    case DifferenceCause::kNoGradient:
      return fmt::format("No gradient on {} at step {}.", someRanksText(finding.cause_ranks), finding.step.value_or(0));
    case DifferenceCause::kUpdate:
      return fmt::format("Their gradients are equal at step {}: the update differs, or what follows it.", step);
    case DifferenceCause::kGradients:
      return fmt::format(
          "Their gradients differ by {}{} at step {}: are they reduced over {}, and unchanged since?",
          isOne(finding) ? "" : "up to ",
          distanceText(finding.gradient_distance.value_or(0)),
          step,
          finding.sets.empty() ? "the ranks" : someRanksText(finding.sets.front().ranks));
    case DifferenceCause::kAveraging:
      return fmt::format(
          "Their gradients differ{}, and the optimizer's step reduces over these ranks. If it averages the values now "
          "and then, as local SGD does, all is well{}.",
          finding.gradient_distance ? fmt::format(" by {} at step {}", distanceText(*finding.gradient_distance), step)
                                    : "",
          finding.last_step ? fmt::format(
                                  ": step {} reduces next, so sample the one after it (COMMTAP_VERIFY=1,2,{})",
                                  *finding.last_step,
                                  *finding.last_step + 1)
                            : "");
    case DifferenceCause::kUnknown:
      break;
  }
  return "";
}

std::string gradientsApartText(const VerifyFinding& finding) {
  return finding.gradient_distance ? fmt::format(
                                         " (they differ by {}{} at step {})",
                                         isOne(finding) ? "" : "up to ",
                                         distanceText(*finding.gradient_distance),
                                         finding.gradient_step.value_or(0))
                                   : "";
}

std::string sentences(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + " " + other;
}

namespace {

/// Returns the ranks of the processes for which `holds` is true.
template <typename Holds>
RankRanges ranksWith(const RunSamples& run, const Holds& holds) {
  std::vector<int64_t> ranks;
  for (const ProcessSamples& process : run.processes) {
    if (holds(process) && process.job.rank) {
      ranks.push_back(*process.job.rank);
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return rangesOf(std::move(ranks));
}

bool isEmpty(const SampledParameter& parameter) {
  return std::find(parameter.shape.begin(), parameter.shape.end(), 0) != parameter.shape.end();
}

/// Returns the parameters of models that have no elements on any rank: DeepSpeed's ZeRO-3 leaves them so between uses.
/// FSDP1 with original parameters has empty ones on some ranks only.
std::set<std::string> emptyParameters(const RunSamples& run) {
  std::set<std::string> empty;
  std::set<std::string> others;
  for (const ProcessSamples& process : run.processes) {
    for (const SampledParameter& parameter : process.parameters) {
      (isEmpty(parameter) && !parameter.is_buffer ? empty : others).insert(parameter.name);
    }
  }
  for (const std::string& name : others) {
    empty.erase(name);
  }
  return empty;
}

std::string sentenceOf(const NotSeenSummary& summary) {
  const std::string ranks = summary.ranks.empty() ? "some ranks" : ranksText(summary.ranks);
  const std::string detail = inert(summary.entry.detail);
  if (summary.entry.reason == notSeenName(NotSeen::kUnsampledParameters)) {
    return fmt::format(
        "{}: {} could not be read, the first of {}",
        ranks,
        counted(summary.entry.count, "value or gradient", "values or gradients"),
        detail);
  }
  if (summary.entry.reason == notSeenName(NotSeen::kSamplesLost)) {
    return fmt::format("{}: {} missing: {}", ranks, counted(summary.entry.count, "sample is", "samples are"), detail);
  }
  return "";
}

} // namespace

std::vector<std::string> notSampledText(const RunSamples& run, const Verification& result) {
  std::vector<std::string> lines;
  const RankRanges missing = gapsIn(result.ranks, result.world_size.value_or(0));
  if (!missing.empty()) {
    const char* which = run.unreadable > 0 ? " that could be read" : "";
    lines.push_back(ranksText(missing) + (countOf(missing) == 1 ? " has no samples" : " have no samples") + which);
  }
  if (const RankRanges cut = ranksWith(run, [](const ProcessSamples& each) { return each.is_cut; }); !cut.empty()) {
    lines.push_back(ranksText(cut) + ": the file ends within a sample, which is left out");
  }
  if (const RankRanges damaged = ranksWith(run, [](const ProcessSamples& each) { return !each.damage.empty(); });
      !damaged.empty()) {
    lines.push_back(ranksText(damaged) + ": the file is damaged, and the samples from there on are left out");
  }
  if (!run.doubled.empty()) {
    lines.push_back(fmt::format(
        "several processes of this run and attempt are {}, and of each the one with the most samples is judged: did "
        "two "
        "jobs have one run id?",
        ranksText(rangesOf(run.doubled))));
  }
  if (result.incomplete > 0) {
    lines.push_back(fmt::format(
        "{} not in each sample of a rank, and compared where {} sampled",
        counted(result.incomplete, "parameter is", "parameters are"),
        result.incomplete == 1 ? "it is" : "they are"));
  }
  if (result.apart > 0) {
    lines.push_back(
        counted(result.apart, "sample is", "samples are") +
        " of another moment of the job than those of the other ranks at that step, and not compared");
  }
  if (const std::set<std::string> empty = emptyParameters(run); !empty.empty()) {
    lines.push_back(fmt::format(
        "{} no elements on any rank when samples are taken, the first of {}",
        counted(empty.size(), "parameter has", "parameters have"),
        inert(*empty.begin())));
  }
  addGaps(run, lines);
  const auto is_forward = [](const Sample& sample) { return sample.batch.forwards > 0; };
  if (result.reductions > 0 && std::none_of(run.processes.begin(), run.processes.end(), [&](const auto& process) {
        return std::any_of(process.samples.begin(), process.samples.end(), is_forward);
      })) {
    lines.emplace_back("no module was called outside of compiled code, so the data of the ranks is not known");
  }
  std::transform(run.not_seen.begin(), run.not_seen.end(), std::back_inserter(lines), sentenceOf);
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

} // namespace commtap
