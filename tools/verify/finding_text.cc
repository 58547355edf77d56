// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/text/disagreement_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns "1.8", "0.008" or "4e-7".
std::string distanceText(double distance) {
  std::string text = fmt::format("{:.2g}", distance);
  if (const size_t exponent = text.find("e-0"); exponent != std::string::npos) {
    text.erase(exponent + 2, 1);
  }
  return text;
}

std::string parameters(const VerifyFinding& finding) {
  return counted(finding.parameters.size(), "parameter");
}

/// Returns "Net.a.w and 5 more".
std::string names(const VerifyFinding& finding) {
  const std::string first = finding.parameters.empty() ? "" : inert(finding.parameters.front());
  return finding.parameters.size() < 2 ? first : fmt::format("{} and {} more", first, finding.parameters.size() - 1);
}

/// Returns "rank 2", "ranks 0-1, 3"; of many ranges, the first ones and the number of ranks.
std::string ranks(const RankRanges& ranges) {
  constexpr size_t kMostShown = 8;
  if (ranges.size() <= kMostShown) {
    return ranksText(ranges);
  }
  const RankRanges first(ranges.begin(), ranges.begin() + kMostShown / 2);
  return fmt::format("{}, ... ({} ranks)", ranksText(first), countOf(ranges));
}

/// Returns "ranks 0 and 1", "ranks 0-6 and rank 7", or all ranks and the number of parts.
std::string partsText(const VerifyRanks& set) {
  constexpr size_t kPair = 2;
  if (set.parts.size() != kPair) {
    return ranks(set.ranks) + (set.parts.empty() ? "" : fmt::format(" ({} different values)", set.parts.size()));
  }
  const auto [first, last] = std::minmax(set.parts[0], set.parts[1]);
  return countOf(first) == 1 && countOf(last) == 1 ? fmt::format("ranks {} and {}", rangesText(first), rangesText(last))
                                                   : fmt::format("{} and {}", ranks(set.parts[0]), ranks(set.parts[1]));
}

/// Returns " (the same in 7 more groups of ranks)" or "".
std::string furtherSets(const VerifyFinding& finding) {
  return finding.sets.size() < 2
             ? ""
             : fmt::format(
                   " (and so in {})", counted(finding.sets.size() - 1, "more group of ranks", "more groups of ranks"));
}

std::string where(const VerifyFinding& finding) {
  return (finding.sets.empty() ? "" : partsText(finding.sets.front())) + furtherSets(finding);
}

std::string allRanks(const VerifyFinding& finding) {
  return (finding.sets.empty() ? "" : ranks(finding.sets.front().ranks)) + furtherSets(finding);
}

std::string size(const VerifyFinding& finding) {
  return finding.value_distance ? fmt::format(
                                      ", by {} of {} size",
                                      distanceText(*finding.value_distance),
                                      finding.parameters.size() > 1 ? "their" : "its")
                                : "";
}

/// Returns "Net.a.w and 5 more: equal at step 1, different at step 2, by 1.8 of their size".
std::string stepsLine(const VerifyFinding& finding) {
  const std::string at =
      finding.before ? fmt::format("equal at step {}, different at step {}", *finding.before, finding.step.value_or(0))
                     : fmt::format("different in the first sample, at step {}", finding.step.value_or(0));
  return names(finding) + ": " + at + size(finding);
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
      return "Proven replicas: earlier they had equal gradients.";
    case ReplicaEvidence::kChanges:
      return "Proven replicas: they had changed before, and were still equal.";
    default:
      return "";
  }
}

std::string causeText(const VerifyFinding& finding) {
  switch (finding.cause) {
    case DifferenceCause::kFrozen:
      return fmt::format("Frozen on {} (requires_grad is False).", ranks(finding.cause_ranks));
    case DifferenceCause::kNoGradient:
      return fmt::format("No gradient on {}.", ranks(finding.cause_ranks));
    case DifferenceCause::kUpdate:
      return "Their gradients are equal, so the update differs.";
    case DifferenceCause::kGradients:
      return fmt::format(
          "Their gradients differ by {}: look for the reduction of these gradients over {}.",
          distanceText(finding.gradient_distance.value_or(0)),
          finding.sets.empty() ? "the ranks" : ranks(finding.sets.front().ranks));
    case DifferenceCause::kUnknown:
      break;
  }
  return "";
}

std::string joined(const std::string& one, const std::string& other) {
  return one.empty() || other.empty() ? one + other : one + " " + other;
}

std::string gradientsApart(const VerifyFinding& finding) {
  return finding.gradient_distance ? fmt::format(" (they differ by {})", distanceText(*finding.gradient_distance)) : "";
}

using Lines = std::vector<std::string>;

Lines linesOfSkippedStep(const VerifyFinding& finding) {
  const VerifyRanks set = finding.sets.empty() ? VerifyRanks() : finding.sets.front();
  const std::string ahead = ranks(finding.cause_ranks);
  const std::string behind = set.parts.size() > 1 ? ranks(set.parts[0]) : "the others";
  const std::string values = finding.parameters.empty()
                                 ? "No values of replicas show it: these ranks may have none."
                                 : fmt::format("Since then their values differ: {}{}.", names(finding), size(finding));
  return {
      fmt::format(
          "{} made fewer updates than {} between steps {} and {}",
          ahead,
          behind,
          finding.before.value_or(0),
          finding.step.value_or(0)),
      fmt::format(
          "at step {} of their optimizers, {} had issued {} more in group {}, as many as whole steps make",
          finding.step.value_or(0),
          ahead,
          counted(finding.collectives, "collective"),
          inert(finding.group)),
      values + " Look for what leaves out optimizer.step() on some ranks."};
}

Lines linesOfDifference(const VerifyFinding& finding) {
  const bool is_one = finding.parameters.size() == 1;
  switch (finding.what) {
    case VerifyClass::kDrift:
      return {
          fmt::format(
              "{} {} in step on {}, and then not", parameters(finding), is_one ? "was" : "were", where(finding)),
          stepsLine(finding),
          joined(evidenceText(finding), causeText(finding))};
    case VerifyClass::kDeclared:
      return {
          fmt::format(
              "{} that must be equal {} between {}",
              parameters(finding),
              is_one ? "differs" : "differ",
              where(finding)),
          stepsLine(finding),
          joined(evidenceText(finding), causeText(finding))};
    case VerifyClass::kSameGradient:
      return {
          fmt::format(
              "{} use the same gradient for {}, and hold different values", where(finding), parameters(finding)),
          stepsLine(finding),
          "Only replicas use one gradient. Look for a skipped broadcast, another learning rate, weight decay or state, "
          "a "
          "step or reduction left out on the way, or values that were overwritten."};
    case VerifyClass::kNeverEqual:
      return {
          fmt::format(
              "{} {} from the start between {}, which hold replicas",
              parameters(finding),
              is_one ? "has" : "have",
              where(finding)),
          stepsLine(finding),
          finding.evidence == ReplicaEvidence::kGradients
              ? "These ranks use the same gradient, as replicas do: another seed or checkpoint, or no broadcast at the "
                "start."
              : joined(evidenceText(finding), "Another seed or checkpoint, or no broadcast at the start?")};
    default:
      return {
          fmt::format(
              "{} {} infinities or NaN on {} only, of {}",
              parameters(finding),
              is_one ? "has" : "have",
              ranks(finding.cause_ranks),
              allRanks(finding)),
          stepsLine(finding),
          evidenceText(finding)};
  }
}

Lines linesOfWarning(const VerifyFinding& finding) {
  switch (finding.what) {
    case VerifyClass::kUnproven:
      return {
          fmt::format("{} started equal on {} and went apart", parameters(finding), where(finding)),
          stepsLine(finding),
          joined(
              finding.cause == DifferenceCause::kGradients ? "" : causeText(finding),
              fmt::format(
                  "If they are replicas, their gradients are not reduced{}. If they are shards, experts or heads of "
                  "one "
                  "rank, all is well.",
                  gradientsApart(finding)))};
    case VerifyClass::kSeparate:
      return {
          fmt::format(
              "{} started equal on {} and went apart, as all that could be compared",
              parameters(finding),
              where(finding)),
          stepsLine(finding),
          fmt::format(
              "If it is one model, its gradients are not reduced over these ranks{}. If each rank trains its own, all "
              "is well.",
              gradientsApart(finding))};
    case VerifyClass::kTwinShards:
      return {
          fmt::format("the shards of {} started with the same values on {}", parameters(finding), allRanks(finding)),
          names(finding),
          "Drawn with one seed? Then the tensor repeats itself: give each rank of the group its own, or shard after "
          "the "
          "initialization."};
    default:
      return {
          fmt::format(
              "{} never change on {}, although there are gradients for them", parameters(finding), allRanks(finding)),
          names(finding),
          "A learning rate of 0, updates that are lost in the rounding of a short dtype, or an optimizer whose step is "
          "without effect."};
  }
}

Lines linesOfNoGradient(const VerifyFinding& finding) {
  if (finding.cause_ranks.empty()) {
    return {
        fmt::format(
            "the optimizer never has a gradient for {} on {}: unused, or detached",
            parameters(finding),
            allRanks(finding)),
        names(finding)};
  }
  return {
      fmt::format(
          "{} never {} a gradient for {} that other ranks train",
          ranks(finding.cause_ranks),
          countOf(finding.cause_ranks) == 1 ? "has" : "have",
          parameters(finding)),
      names(finding) + ", of " + where(finding),
      "If these are parts of one tensor, the backward does not reach them. If a rank does not use them, all is well."};
}

Lines linesOfNote(const VerifyFinding& finding) {
  switch (finding.what) {
    case VerifyClass::kPeriodic:
      return {
          fmt::format(
              "{} went apart on {}, and were equal again at step {}",
              parameters(finding),
              where(finding),
              finding.last_step.value_or(0)),
          stepsLine(finding),
          "Averaged now and then, as local SGD does?"};
    case VerifyClass::kExperts:
      return {
          fmt::format(
              "{} started equal on {} and went apart, below a module with an all_to_all",
              parameters(finding),
              where(finding)),
          stepsLine(finding),
          "Experts do so. If they are replicas, their gradients are not reduced" + gradientsApart(finding) + "."};
    case VerifyClass::kRankCopy:
      return {
          fmt::format(
              "{} that no optimizer has {} on some ranks only, of {}",
              parameters(finding),
              finding.parameters.size() == 1 ? "changes" : "change",
              allRanks(finding)),
          stepsLine(finding),
          "A copy that some ranks keep, such as an average of the weights?"};
    case VerifyClass::kRounding:
      return {
          fmt::format(
              "{} differ as by rounding: {} that {} replicas, at step {}{}",
              where(finding),
              parameters(finding),
              finding.parameters.size() == 1 ? "has" : "have",
              finding.step.value_or(0),
              size(finding)),
          names(finding) + ". It may grow: broadcast them now and then."};
    case VerifyClass::kUnmeasured:
      return {
          fmt::format(
              "{} that must be equal differ between {}; by how much was not sampled",
              parameters(finding),
              where(finding)),
          stepsLine(finding)};
    default:
      return {fmt::format(
          "the last sample of {} is of step {}, that of other ranks of step {}",
          ranks(finding.cause_ranks),
          finding.before.value_or(0),
          finding.last_step.value_or(0))};
  }
}

Lines allLinesOf(const VerifyFinding& finding) {
  switch (finding.what) {
    case VerifyClass::kSkippedStep:
      return linesOfSkippedStep(finding);
    case VerifyClass::kDrift:
    case VerifyClass::kDeclared:
    case VerifyClass::kSameGradient:
    case VerifyClass::kNeverEqual:
    case VerifyClass::kNonFinite:
      return linesOfDifference(finding);
    case VerifyClass::kUnproven:
    case VerifyClass::kSeparate:
    case VerifyClass::kTwinShards:
    case VerifyClass::kStuck:
      return linesOfWarning(finding);
    case VerifyClass::kNoGradient:
      return linesOfNoGradient(finding);
    default:
      return linesOfNote(finding);
  }
}

} // namespace

std::vector<std::string> linesOf(const VerifyFinding& finding) {
  std::vector<std::string> lines = allLinesOf(finding);
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

} // namespace commtap
