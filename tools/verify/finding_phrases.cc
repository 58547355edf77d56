// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/text/call_text.h"
#include "tools/text/text.h"

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

std::string namesText(const VerifyFinding& finding) {
  const std::string first = finding.parameters.empty() ? "" : inert(finding.parameters.front());
  return finding.parameters.size() < 2 ? first : fmt::format("{} and {} more", first, finding.parameters.size() - 1);
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
  return namesText(finding) + ": " + at + sizeText(finding) + later;
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
          "and then, as local SGD does, all is well.",
          finding.gradient_distance ? fmt::format(" by {} at step {}", distanceText(*finding.gradient_distance), step)
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

} // namespace commtap
