// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/layout_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tools/text/markup.h"
#include "tools/text/text.h"
#include "tools/verify/finding_text.h"

namespace commtap {
namespace {

/// Returns "2.00 times", "0.0313 times".
std::string timesText(double ratio) {
  return std::abs(ratio) < 0.1 ? fmt::format("{:.3g} times", ratio) : fmt::format("{:.2f} times", ratio);
}

std::string reasonsText(const LayoutFinding& finding) {
  std::string text;
  for (const std::string& reason : finding.reasons) {
    text += (text.empty() ? "" : ", or ") + inert(reason);
  }
  return text.empty() ? "" : fmt::format("The ratio is that of {}. ", text);
}

std::string gradientsOf(const LayoutFinding& finding) {
  return fmt::format("the gradients of {}", counted(finding.parameters.size(), "parameter"));
}

std::vector<std::string>
linesOfOptimizer(const LayoutFinding& finding, const std::string& where, const std::string& times) {
  const std::string parameters = counted(finding.parameters.size(), "parameter");
  if (finding.ratio) {
    return {
        fmt::format("the updates of {} {}, although their sampled gradients are alike: {}", parameters, times, where),
        reasonsText(finding) + "Look for another learning rate or schedule, or an update that is left out."};
  }
  return {
      fmt::format("the values of {} go apart, although their sampled gradients are alike: {}", parameters, where),
      "Look for another learning rate, weight decay or state of the optimizer, an update that is left out, or "
      "gradients of steps that have no sample."};
}

std::vector<std::string> linesOf(const LayoutFinding& finding, const std::string& like) {
  const std::string where = fmt::format("{} at step {}", namesText(finding.parameters), finding.step);
  const std::string by =
      finding.distance ? fmt::format(", by up to {} of their size", distanceText(*finding.distance)) : "";
  const std::string times = fmt::format("are {} those of {}", timesText(finding.ratio.value_or(0)), like);
  switch (finding.what) {
    case LayoutClass::kRatio:
      return {
          fmt::format("{} {}: {}", gradientsOf(finding), times, where),
          reasonsText(finding) +
              "Their direction is the same, and most parameters have another ratio. Look for a sum that should be an "
              "average, a reduction that is missing or made twice, or a bias that each rank adds."};
    case LayoutClass::kScale:
      return {
          fmt::format("{} {}: {}", gradientsOf(finding), times, where),
          reasonsText(finding) +
              "More than half of the parameters have this ratio. Look for another scale or sign of the loss, for "
              "clipping, which gives an error of few gradients to all, or for gradients that are summed in one run and "
              "averaged in the other."};
    case LayoutClass::kOptimizer:
      return linesOfOptimizer(finding, finding.ratio ? where : where + by, times);
    case LayoutClass::kDirection:
      break;
  }
  if (!finding.distance) {
    return {
        fmt::format("only one run has {}: {}", gradientsOf(finding), where),
        "Look for a parameter that is frozen or not used in one run, or whose gradient is cleared."};
  }
  return {
      fmt::format("{} differ from those of {}: {}{}", gradientsOf(finding), like, where, by),
      "They differ by more than rounding and not by one ratio. BatchNorm, auxiliary losses, the capacity of experts, "
      "negatives within the batch and averages over uneven micro-batches differ so by the layout, and so do errors in "
      "the forward or the loss. After the first step another learning rate, weight decay or state of the optimizer "
      "does, too."};
}

std::string stepsOf(const LayoutComparison& result) {
  return counted(result.steps.size(), "step");
}

std::string nothingOf(const LayoutComparison& result, const std::string& like) {
  if (result.apart.empty()) {
    return fmt::format("NOTHING TO COMPARE: no gradient of {} can be compared", like);
  }
  const std::string apart =
      fmt::format("{}, by {} of its size", namesText(result.apart), distanceText(result.start_distance.value_or(0)));
  return result.start_step > 1 ? fmt::format(
                                     "NOTHING TO COMPARE: the values differ at step {}, the first that both runs have "
                                     "sampled ({}): sample step 1 in both",
                                     result.start_step,
                                     apart)
                               : fmt::format(
                                     "NOTHING TO COMPARE: the runs start from other parameters ({}): give both one "
                                     "seed, or let both load one checkpoint",
                                     apart);
}

std::string startOf(const LayoutComparison& result, const std::string& like) {
  const char* why = result.has_draws
                        ? "a forward draws random numbers, as dropout does, which differ by the layout: switch it off"
                        : "the runs read other samples: give both the same global batch";
  return fmt::format(
      "ONLY THE START: {} with the values of {}; nothing else is compared: {}",
      counted(result.parameters, "parameter starts", "parameters start"),
      like,
      why);
}

std::string alikeOf(const LayoutComparison& result, const std::string& like, bool has_equal_bits) {
  const std::string largest =
      has_equal_bits
          ? "bitwise equal on each rank"
          : fmt::format("largest difference of gradients {:.1g} of the size", result.largest_distance.value_or(0));
  return fmt::format(
      "OK: {} those of {} in {} ({})",
      counted(result.parameters, "parameter and its gradients are", "parameters and their gradients are"),
      like,
      stepsOf(result),
      largest);
}

} // namespace

void addWords(LayoutComparison& result, const std::string& like, bool has_equal_bits) {
  for (LayoutFinding& finding : result.findings) {
    finding.lines = linesOf(finding, like);
  }
  switch (result.status) {
    case LayoutStatus::kOk:
      result.line = alikeOf(result, like, has_equal_bits);
      break;
    case LayoutStatus::kStartOnly:
      result.line = startOf(result, like);
      break;
    case LayoutStatus::kNothingToCompare:
      result.line = nothingOf(result, like);
      break;
    default:
      result.line =
          (result.status == LayoutStatus::kWrong ? "WRONG: " : "WARNING: ") + result.findings.front().lines.front();
  }
}

std::string layoutText(const LayoutComparison& result, const Color& color) {
  std::string text = result.findings.empty() ? result.line + "\n" : "";
  for (const LayoutFinding& finding : result.findings) {
    text += findingText(finding.severity, finding.lines, color);
  }
  if (!result.findings.empty()) {
    text += fmt::format(
        "{} compared in {}, on {} and {}.\n",
        counted(result.parameters, "parameter was", "parameters were"),
        stepsOf(result),
        counted(result.ranks, "rank"),
        counted(result.like_ranks, "rank"));
  }
  if (result.stopped_at) {
    text += fmt::format(
        "NOTE: from step {} on nothing is compared: {}\n",
        *result.stopped_at,
        result.has_draws ? "a forward draws random numbers" : "the runs read other samples");
  }
  const bool is_judged = !result.steps.empty();
  if (is_judged && result.data == SameData::kUnknown) {
    text += "NOTE: it is not known whether the runs read the same samples\n";
  }
  for (const auto& [head, lines] :
       {std::pair("NOTE: ", &result.notes),
        std::pair("NOT WHOLLY COMPARED: ", &result.partly_compared),
        std::pair("NOT COMPARED: ", &result.not_compared)}) {
    for (const std::string& line : *lines) {
      text += head + inert(line) + "\n";
    }
  }
  return text;
}

std::string layoutJunit(const LayoutComparison& result, bool is_strict) {
  const bool is_incomplete = result.findings.empty() && result.status != LayoutStatus::kOk;
  std::vector<JunitCase> cases = {{"start", is_strict && is_incomplete ? result.line : "", result.line + "\n"}};
  for (int i = 0; i < kLayoutClassCount; ++i) {
    cases.push_back(junitCase(result.findings, static_cast<LayoutClass>(i), is_strict));
  }
  const std::string suite = fmt::format("commtap verify {} --like {}", inert(result.run_id), inert(result.like_run_id));
  return junitDocument(suite, "commtap.verify.like", cases);
}

} // namespace commtap
