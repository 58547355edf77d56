// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tools/text/call_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using Lines = std::vector<std::string>;

/// Returns the form of a verb that fits the number of parameters.
const char* verb(const VerifyFinding& finding, const char* of_one, const char* of_several) {
  return finding.parameters.size() == 1 ? of_one : of_several;
}

Lines linesOfSkippedStep(const VerifyFinding& finding) {
  const VerifyRanks set = finding.sets.empty() ? VerifyRanks() : finding.sets.front();
  const std::string ahead = someRanksText(finding.cause_ranks);
  const std::string behind = set.parts.size() > 1 ? someRanksText(set.parts[0]) : "the others";
  const std::string values =
      finding.parameters.empty()
          ? "It is not known whether their values differ since then: no two samples of replicas were taken after the "
            "same number of collectives."
      : finding.evidence == ReplicaEvidence::kNone
          ? fmt::format("Since then their values differ: {}{}.", namesText(finding.parameters), sizeText(finding))
          : fmt::format(
                "The values of {} could not be compared since then: no two samples were taken after the same number of "
                "collectives. {} Nothing broadcasts or averages them.",
                namesText(finding.parameters),
                evidenceText(finding));
  return {
      fmt::format(
          "{} made fewer updates than {} between steps {} and {}{}",
          ahead,
          behind,
          finding.before.value_or(0),
          finding.step.value_or(0),
          furtherSets(finding)),
      fmt::format(
          "at step {} of their optimizers, {} had issued {} in group {} than {}: the collectives of whole steps",
          finding.step.value_or(0),
          ahead,
          counted(finding.collectives, "more collective"),
          inert(finding.group),
          behind),
      values + " Look for what leaves out optimizer.step() on some ranks."};
}

Lines linesOfApart(const VerifyFinding& finding) {
  const bool is_drift = finding.what == VerifyClass::kDrift;
  return {
      is_drift ? fmt::format("{} had replicas on {}, which went apart", parametersText(finding), partsText(finding))
               : fmt::format(
                     "{} that must be equal {} between {}",
                     parametersText(finding),
                     verb(finding, "differs", "differ"),
                     partsText(finding)),
      stepsText(finding),
      sentences(evidenceText(finding), causeText(finding))};
}

/// Returns whether steps that were not sampled lie between the last sample without the fault and the first with it.
bool isFarFromBefore(const VerifyFinding& finding) {
  return finding.before && finding.step.value_or(0) > *finding.before + 1;
}

Lines linesOfSameGradient(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} use the same gradient for {}, and hold different values", partsText(finding), parametersText(finding)),
      stepsText(finding),
      sentences(
          "Only replicas use one gradient.",
          finding.cause != DifferenceCause::kUpdate && finding.cause != DifferenceCause::kUnknown
              ? causeText(finding)
              : fmt::format(
                    "Look for a skipped broadcast, another learning rate, weight decay or state, an update left out "
                    "or rounded by chance, {}or values that were overwritten.",
                    isFarFromBefore(finding) ? "a gradient that was not reduced in a step between these samples, "
                                             : ""))};
}

Lines linesOfNeverEqual(const VerifyFinding& finding) {
  if (finding.evidence == ReplicaEvidence::kNone) {
    const bool is_frozen = finding.cause == DifferenceCause::kFrozen;
    return {
        fmt::format(
            "{} {} from the start between {}, which hold replicas of others",
            parametersText(finding),
            verb(finding, "differs", "differ"),
            partsText(finding)),
        stepsText(finding),
        is_frozen ? "Frozen, and used by ranks whose gradients are reduced together. Look for another seed, or a "
                    "checkpoint without frozen parameters."
                  : "If they are heads or adapters of one rank, all is well. If they are replicas, look for another "
                    "seed, or a model that is not wrapped."};
  }
  const bool is_sure = finding.severity == VerifySeverity::kError || finding.evidence != ReplicaEvidence::kGradients;
  const char* causes =
      finding.step.value_or(0) > 1
          ? "Look for another seed or checkpoint, a broadcast that skips them, or an update that a rank leaves out."
          : "Look for another seed or checkpoint, a broadcast that is missing at the start, or values that were "
            "overwritten after it.";
  return {
      fmt::format(
          "{} {} in the first common sample of {}, which {}",
          parametersText(finding),
          verb(finding, "differs", "differ"),
          partsText(finding),
          is_sure ? "hold replicas" : "use the same gradient"),
      stepsText(finding),
      sentences(
          finding.evidence != ReplicaEvidence::kGradients ? evidenceText(finding)
          : is_sure                                       ? "These ranks use the same gradient, as only replicas do."
                    : "Replicas do so, and parameters whose gradients do not depend on their values.",
          causes)};
}

Lines linesOfNonFinite(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} {} infinities or NaN on {} only, of {}",
          parametersText(finding),
          verb(finding, "has", "have"),
          someRanksText(finding.cause_ranks),
          allRanksText(finding)),
      stepsText(finding),
      evidenceText(finding)};
}

Lines linesOfNonFiniteGradient(const VerifyFinding& finding) {
  const std::string before = finding.before ? fmt::format("finite at step {}, ", *finding.before) : "";
  return {
      fmt::format(
          "the gradients of {} have infinities or NaN on {} only, of {}",
          parametersText(finding),
          someRanksText(finding.cause_ranks),
          allRanksText(finding)),
      fmt::format(
          "{}: {}not finite at step {}, with equal values",
          namesText(finding.parameters),
          before,
          finding.step.value_or(0)),
      sentences(evidenceText(finding), "Are they reduced over these ranks, and what changes them after that?")};
}

Lines linesOfSourceOfNan(const VerifyFinding& finding) {
  const std::string when =
      finding.before
          ? fmt::format("finite at step {}, not finite at step {}", *finding.before, finding.step.value_or(0))
          : fmt::format("not finite at step {}", finding.step.value_or(0));
  const std::string which =
      finding.parameters.empty()
          ? when
          : fmt::format("{}: {}; in backward order the first gradient", namesText(finding.parameters), when);
  if (finding.cause_ranks.empty()) {
    return {
        fmt::format("values or gradients have infinities or NaN on all of {}", allRanksText(finding)),
        which,
        "No sampled reduction shows a rank that had them before the others. Sample the steps before: "
        "COMMTAP_VERIFY=N,N."};
  }
  const char* then = "No sampled value is: a loss scaler leaves such steps out.";
  if (finding.severity == VerifySeverity::kError) {
    then = "Values are not finite in this or a later sample. Look at this rank's data and loss in that step.";
  } else if (finding.severity == VerifySeverity::kWarning) {
    then =
        "No later step is sampled, which would show whether the values became so. Look at data and loss of that step.";
  }
  return {
      fmt::format(
          "{} put infinities or NaN into a reduction of gradients, which gave them to {}",
          someRanksText(finding.cause_ranks),
          allRanksText(finding)),
      which,
      then};
}

Lines linesOfSameData(const VerifyFinding& finding) {
  const std::string steps = fmt::format("steps {} to {}", finding.step.value_or(0), finding.last_step.value_or(0));
  if (finding.evidence == ReplicaEvidence::kGradients) {
    return {
        fmt::format(
            "{} put equal gradients into every reduction of their group in the sampled steps ({})",
            allRanksText(finding),
            steps),
        "Their average is one rank's gradient. Do they read the same data? Or has a sum that was not sampled made them "
        "equal?"};
  }
  const double part = finding.ratio.value_or(0);
  const bool is_most = finding.severity == VerifySeverity::kWarning;
  return {
      part == 1 ? fmt::format("{} read the same samples in each sampled step ({})", allRanksText(finding), steps)
                : fmt::format(
                      "{} share at least {:.0f} % of their samples in each sampled step ({})",
                      allRanksText(finding),
                      100 * part,
                      steps),
      is_most
          ? "If each computes its gradient from all of these, their average is about one rank's gradient. Look for a "
            "sampler without rank and world size, a seed per node, an iterable dataset that is not split."
          : "Samples that are drawn with replacement, padding or a small dataset do so."};
}

Lines linesOfReducedTwice(const VerifyFinding& finding) {
  const std::string first = finding.modules.empty() ? "" : inert(finding.modules.front());
  return {
      fmt::format(
          "gradients at {} are reduced again over group {}, although they are equal on {} already",
          counted(finding.parameters.size(), "place"),
          inert(finding.group),
          allRanksText(finding)),
      fmt::format(
          "{}, after the reduction at {}, from step {} on",
          namesText(finding.parameters),
          first,
          finding.step.value_or(0)),
      "A sum of equal gradients is too large by the number of ranks, and an average changes nothing."};
}

Lines linesOfNoContribution(const VerifyFinding& finding) {
  const bool is_always = finding.severity == VerifySeverity::kWarning;
  return {
      fmt::format(
          "{} put only zeros into the reductions of gradients in {}, of {} in group {}",
          someRanksText(finding.cause_ranks),
          is_always ? "all sampled steps" : fmt::format("step {}", finding.step.value_or(0)),
          allRanksText(finding),
          inert(finding.group)),
      is_always ? "An empty batch, or a loss that is detached or masked out? An average is smaller by their part."
                : "A batch without targets, or one of zeros that is meant so? An average is smaller by its part."};
}

Lines linesOfOtherSize(const VerifyFinding& finding) {
  return {
      fmt::format(
          "the gradients of {} are at least {:.0f} times as large as the smallest of {}, in each sampled step",
          someRanksText(finding.cause_ranks),
          finding.ratio.value_or(0),
          allRanksText(finding)),
      fmt::format(
          "before their reductions in group {}. A loss that is scaled or summed on some ranks only?",
          inert(finding.group))};
}

/// Returns what it means if the ranks of an unproven finding hold replicas.
std::string ifReplicas(const VerifyFinding& finding) {
  switch (finding.cause) {
    case DifferenceCause::kGradients:
      return "their gradients are not reduced, or are changed on a rank after that" + gradientsApartText(finding);
    case DifferenceCause::kUpdate:
      return fmt::format("their update differs: the gradients are equal at step {}", finding.gradient_step.value_or(0));
    case DifferenceCause::kFrozen:
      return fmt::format("they should train on {} too, where they are frozen", someRanksText(finding.cause_ranks));
    case DifferenceCause::kNoGradient:
      return fmt::format("a gradient is missing on {}", someRanksText(finding.cause_ranks));
    case DifferenceCause::kAveraging:
    case DifferenceCause::kUnknown:
      break;
  }
  return "this is an error";
}

Lines linesOfUnproven(const VerifyFinding& finding) {
  const bool is_separate = finding.what == VerifyClass::kSeparate;
  return {
      fmt::format("{} started equal on {} and went apart", parametersText(finding), partsText(finding)),
      stepsText(finding),
      is_separate ? fmt::format(
                        "{} If it is one model, {}. If each rank trains its own, all is well.",
                        finding.evidence == ReplicaEvidence::kDdp
                            ? "A DistributedDataParallel has them, whose groups are not used after that."
                            : "No parameter is known to stay equal there.",
                        ifReplicas(finding))
                  : fmt::format(
                        "If they are replicas, {}. If they are shards, experts or heads of one rank, all is well.",
                        ifReplicas(finding))};
}

Lines linesOfTied(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} and {} started equal on {} and went apart",
          inert(finding.parameters.front()),
          inert(finding.parameters.back()),
          partsText(finding)),
      stepsText(finding),
      fmt::format("If they are tied, {}. If not, all is well.", ifReplicas(finding))};
}

Lines linesOfBuffers(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} {} between {}, which hold replicas of the parameters",
          counted(finding.parameters.size(), "buffer"),
          verb(finding, "differs", "differ"),
          partsText(finding)),
      stepsText(finding),
      finding.severity == VerifySeverity::kWarning
          ? "Changed after the forward by what each rank saw: is that reduced over these ranks? If it is meant to be "
            "each rank's own, all is well."
          : "Each rank's statistics of its own data? A checkpoint has those of one rank."};
}

Lines linesOfUnusedDimension(const VerifyFinding& finding) {
  return {
      fmt::format(
          "nothing communicates over the mesh's dimension {} of {}, and gradients are reduced over another one",
          inert(finding.group),
          allRanksText(finding)),
      "If these ranks train one model, they do not share its gradients."};
}

Lines linesOfGrowingGradient(const VerifyFinding& finding) {
  return {
      fmt::format(
          "what {} put into the reductions of gradients in group {} grows with each step, {:.1f} times from step {} to "
          "{}, and becomes more alike on them",
          allRanksText(finding),
          inert(finding.group),
          finding.ratio.value_or(0),
          finding.step.value_or(0),
          finding.last_step.value_or(0)),
      "A gradient that nothing clears does so, as it is the sum of all steps: where is zero_grad() called? A training "
      "that diverges may do so too."};
}

Lines linesOfReductionsStop(const VerifyFinding& finding) {
  return {
      fmt::format(
          "group {} reduced gradients in each step of {} up to step {}, and in none of steps {} to {}",
          inert(finding.group),
          allRanksText(finding),
          finding.before.value_or(0),
          finding.step.value_or(0),
          finding.last_step.value_or(0)),
      "If these ranks train one model, their gradients are no longer reduced. If the job trains something else from "
      "there on, "
      "all is well."};
}

Lines linesOfOneWay(const VerifyFinding& finding) {
  const size_t more = finding.modules.empty() ? 0 : finding.modules.size() - 1;
  return {
      fmt::format(
          "{}{} {} values over group {} in the forward, and nothing communicates for {} in the backward",
          finding.modules.empty() ? "" : inert(finding.modules.front()),
          more == 0 ? "" : fmt::format(" and {} more", more),
          more == 0 ? "gathers or sends" : "gather or send",
          inert(finding.group),
          more == 0 ? "it" : "them"),
      "If gradients should flow to the ranks that the values are of, use a function with autograd, as those of "
      "torch.distributed.nn. If only values are needed, all is well."};
}

Lines linesOfLoneReductions(const VerifyFinding& finding) {
  if (!finding.parameters.empty()) {
    return {
        fmt::format(
            "{} of a DistributedDataParallel over a group of one rank started equal on {} and went apart",
            parametersText(finding),
            partsText(finding)),
        stepsText(finding),
        fmt::format(
            "Its reductions do nothing. If these ranks train one model, {}: look for the group that it was given.",
            ifReplicas(finding))};
  }
  return {
      fmt::format(
          "gradients are reduced in group {} of one rank, and {} do not communicate otherwise",
          inert(finding.group),
          allRanksText(finding)),
      "If they train one model, no rank gets the gradients of another. Look for the size of each mesh dimension."};
}

Lines linesOfTwinShards(const VerifyFinding& finding) {
  return {
      fmt::format(
          "the shards of {} started with the same values on {}", parametersText(finding), allRanksText(finding)),
      namesText(finding.parameters),
      "Drawn with one seed? Then the tensor repeats itself: give each rank of the group its own, or shard after the "
      "initialization."};
}

Lines linesOfStuck(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} {} the same values in all samples of {}, although {} gradients",
          parametersText(finding),
          verb(finding, "has", "have"),
          allRanksText(finding),
          verb(finding, "it has", "they have")),
      namesText(finding.parameters),
      finding.severity == VerifySeverity::kNote
          ? "No optimizer has them. Are they meant to be trained?"
          : "A learning rate of 0, updates that are lost in the rounding of the dtype, an optimizer whose step has no "
            "effect, or none that has them."};
}

Lines linesOfNoGradient(const VerifyFinding& finding) {
  if (finding.cause_ranks.empty() && finding.severity == VerifySeverity::kWarning) {
    return {
        fmt::format(
            "{} {} no gradient in any sample of {}, and never {}: this optimizer trains nothing",
            parametersText(finding),
            verb(finding, "has", "have"),
            allRanksText(finding),
            verb(finding, "changes", "change")),
        namesText(finding.parameters),
        "Look for what keeps the gradients from it: a switch for accumulation that is never turned back, or another "
        "tensor than the model's."};
  }
  if (finding.cause_ranks.empty()) {
    return {
        fmt::format(
            "{} {} no gradient in any sample of {}, or only zeros: unused, or detached",
            parametersText(finding),
            verb(finding, "has", "have"),
            allRanksText(finding)),
        namesText(finding.parameters)};
  }
  return {
      fmt::format(
          "{} {} no gradient in any sample for {} that other ranks train",
          someRanksText(finding.cause_ranks),
          countOf(finding.cause_ranks) == 1 ? "has" : "have",
          parametersText(finding)),
      namesText(finding.parameters) + ", of " + partsText(finding),
      "If these are parts of one tensor, the backward does not reach them. If a rank does not use them and "
      "they are no replicas, all is well."};
}

Lines linesOfPeriodic(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} went apart on {}, and {} equal again at step {}",
          parametersText(finding),
          partsText(finding),
          verb(finding, "was", "were"),
          finding.last_step.value_or(0)),
      stepsText(finding),
      finding.severity == VerifySeverity::kWarning
          ? "An average does not explain it: look for what a broadcast or gather replaced, or had brought wrongly."
          : "Averaged now and then, as local SGD does? Or changed on some ranks, and replaced by a later broadcast or "
            "gather?"};
}

Lines linesOfExperts(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} started equal on {} and went apart, below a module with an all_to_all",
          parametersText(finding),
          partsText(finding)),
      stepsText(finding),
      fmt::format("Experts do so. If they are replicas, {}.", ifReplicas(finding))};
}

Lines linesOfRankCopy(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} that no optimizer has {} on some ranks only, of {}",
          parametersText(finding),
          verb(finding, "changes", "change"),
          allRanksText(finding)),
      stepsText(finding),
      "A copy that some ranks keep, such as an average of the weights?"};
}

Lines linesOfRounding(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} that started equal {} between {} by no more than rounding, first at step {}{}",
          parametersText(finding),
          verb(finding, "differs", "differ"),
          partsText(finding),
          finding.step.value_or(0),
          sizeText(finding)),
      namesText(finding.parameters) + ". It may grow: broadcast the values now and then."};
}

Lines linesOfUnmeasured(const VerifyFinding& finding) {
  return {
      fmt::format(
          "{} that must be equal {} between {}; by how much was not sampled",
          parametersText(finding),
          verb(finding, "differs", "differ"),
          partsText(finding)),
      stepsText(finding)};
}

Lines linesOfFewerSteps(const VerifyFinding& finding) {
  return {fmt::format(
      "the last sample of {} is of step {}, that of other ranks of step {}",
      someRanksText(finding.cause_ranks),
      finding.before.value_or(0),
      finding.last_step.value_or(0))};
}

struct Text {
  VerifyClass what;
  Lines (*lines)(const VerifyFinding&);
};
constexpr Text kTexts[] = {
    {VerifyClass::kSkippedStep, linesOfSkippedStep},
    {VerifyClass::kNonFinite, linesOfNonFinite},
    {VerifyClass::kNonFiniteGradient, linesOfNonFiniteGradient},
    {VerifyClass::kSourceOfNan, linesOfSourceOfNan},
    {VerifyClass::kSameGradient, linesOfSameGradient},
    {VerifyClass::kDrift, linesOfApart},
    {VerifyClass::kDeclared, linesOfApart},
    {VerifyClass::kNeverEqual, linesOfNeverEqual},
    {VerifyClass::kUnproven, linesOfUnproven},
    {VerifyClass::kSeparate, linesOfUnproven},
    {VerifyClass::kTied, linesOfTied},
    {VerifyClass::kBuffers, linesOfBuffers},
    {VerifyClass::kReductionsStop, linesOfReductionsStop},
    {VerifyClass::kSameData, linesOfSameData},
    {VerifyClass::kReducedTwice, linesOfReducedTwice},
    {VerifyClass::kNoContribution, linesOfNoContribution},
    {VerifyClass::kTwinShards, linesOfTwinShards},
    {VerifyClass::kStuck, linesOfStuck},
    {VerifyClass::kNoGradient, linesOfNoGradient},
    {VerifyClass::kPeriodic, linesOfPeriodic},
    {VerifyClass::kExperts, linesOfExperts},
    {VerifyClass::kOneWay, linesOfOneWay},
    {VerifyClass::kLoneReductions, linesOfLoneReductions},
    {VerifyClass::kUnusedDimension, linesOfUnusedDimension},
    {VerifyClass::kGrowingGradient, linesOfGrowingGradient},
    {VerifyClass::kOtherSize, linesOfOtherSize},
    {VerifyClass::kRankCopy, linesOfRankCopy},
    {VerifyClass::kRounding, linesOfRounding},
    {VerifyClass::kUnmeasured, linesOfUnmeasured},
    {VerifyClass::kFewerSteps, linesOfFewerSteps},
};
static_assert(std::size(kTexts) == kVerifyClassCount);

} // namespace

std::vector<std::string> linesOf(const VerifyFinding& finding) {
  const auto text =
      std::find_if(std::begin(kTexts), std::end(kTexts), [&](const Text& each) { return each.what == finding.what; });
  std::vector<std::string> lines = text->lines(finding);
  lines.erase(std::remove(lines.begin(), lines.end(), ""), lines.end());
  return lines;
}

} // namespace commtap
