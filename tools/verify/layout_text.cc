// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/layout_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/text/markup.h"
#include "tools/text/text.h"
#include "tools/verify/finding_text.h"

namespace commtap {
namespace {

/// Returns "Net.a.w and 5 more".
std::string firstOf(const std::vector<std::string>& names) {
  const std::string first = inert(names.empty() ? "" : names.front());
  return names.size() > 1 ? fmt::format("{} and {} more", first, names.size() - 1) : first;
}

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

std::vector<std::string> linesOf(const LayoutFinding& finding, const std::string& like) {
  const std::string where = fmt::format("{} at step {}", firstOf(finding.parameters), finding.step);
  const std::string by =
      finding.distance ? fmt::format(", by up to {} of their size", distanceText(*finding.distance)) : "";
  const std::string times =
      fmt::format("{} are {} those of {}: {}", gradientsOf(finding), timesText(finding.ratio.value_or(0)), like, where);
  switch (finding.what) {
    case LayoutClass::kRatio:
      return {
          times,
          reasonsText(finding) +
              "Their direction is the same, and most parameters have another ratio. Look for a sum that should be an "
              "average, a reduction that is missing or made twice, or a bias that each rank adds."};
    case LayoutClass::kScale:
      return {
          times,
          reasonsText(finding) +
              "More than half of the parameters have this ratio. Look for another scale or sign of the loss, for "
              "clipping, "
              "which gives an error of few gradients to all, or for gradients that are summed in one run and averaged "
              "in "
              "the other."};
    case LayoutClass::kOptimizer:
      return {
          fmt::format(
              "the values of {} go apart, although their sampled gradients are alike: {}{}",
              counted(finding.parameters.size(), "parameter"),
              where,
              by),
          "Look for another learning rate, weight decay or state of the optimizer, an update that is left out, or "
          "gradients of steps that have no sample."};
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
      "does, "
      "too."};
}

std::string stepsOf(const LayoutComparison& result) {
  return counted(result.steps.size(), "step");
}

std::string nothingOf(const LayoutComparison& result, const std::string& like) {
  if (result.apart.empty()) {
    return fmt::format("no gradient of {} can be compared", like);
  }
  if (result.start_step > 1) {
    return fmt::format(
        "the values differ at step {}, the first that both runs have sampled ({}, by {} of its size): sample step 1 in "
        "both",
        result.start_step,
        firstOf(result.apart),
        distanceText(result.start_distance.value_or(0)));
  }
  return fmt::format(
      "the runs start from other parameters ({}, by {} of its size): give both one seed, or let both load one "
      "checkpoint",
      firstOf(result.apart),
      distanceText(result.start_distance.value_or(0)));
}

std::string startOf(const LayoutComparison& result, const std::string& like) {
  const char* why = result.has_draws
                        ? "a forward draws random numbers, as dropout does, which differ by the layout: switch it off"
                        : "the runs read other samples: give both the same global batch";
  return fmt::format(
      "{} with the values of {}; nothing else is compared: {}",
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
      "{} those of {} in {} ({})",
      counted(result.parameters, "parameter and its gradients are", "parameters and their gradients are"),
      like,
      stepsOf(result),
      largest);
}

const char* headOf(const LayoutComparison& result) {
  switch (result.status) {
    case LayoutStatus::kOk:
      return "OK";
    case LayoutStatus::kSuspect:
      return "WARNING";
    case LayoutStatus::kWrong:
      return "WRONG";
    case LayoutStatus::kStartOnly:
      return "ONLY THE START";
    case LayoutStatus::kNothingToCompare:
      break;
  }
  return "NOTHING TO COMPARE";
}

std::string findingText(const LayoutFinding& finding, const Color& color) {
  std::string text;
  for (const std::string& line : finding.lines) {
    const char* head = finding.severity == VerifySeverity::kError ? "WRONG: " : "WARNING: ";
    text += text.empty() ? color.warning(head + line) : "  " + line;
    text += '\n';
  }
  return text;
}

} // namespace

bool isIncomplete(const LayoutComparison& result) {
  return result.status == LayoutStatus::kNothingToCompare || result.status == LayoutStatus::kStartOnly;
}

void addWords(LayoutComparison& result, const std::string& like, bool has_equal_bits) {
  for (LayoutFinding& finding : result.findings) {
    finding.lines = linesOf(finding, like);
  }
  std::string words;
  switch (result.status) {
    case LayoutStatus::kOk:
      words = alikeOf(result, like, has_equal_bits);
      break;
    case LayoutStatus::kStartOnly:
      words = startOf(result, like);
      break;
    case LayoutStatus::kNothingToCompare:
      words = nothingOf(result, like);
      break;
    default:
      words = result.findings.front().lines.front();
  }
  result.line = fmt::format("{}: {}", headOf(result), words);
}

std::string layoutText(const LayoutComparison& result, const Color& color) {
  std::string text = result.findings.empty() ? result.line + "\n" : "";
  for (const LayoutFinding& finding : result.findings) {
    text += findingText(finding, color);
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
  if (result.first_bits) {
    const FirstBits& bits = *result.first_bits;
    text += fmt::format(
        "NOTE: the first bits that differ are in the {} of {} at step {} on rank {}, by {} of its size\n",
        bits.is_gradient ? "gradient" : "values",
        inert(bits.parameter),
        bits.step,
        bits.rank,
        distanceText(bits.distance.value_or(0)));
  }
  for (const std::string& line : result.partly_compared) {
    text += "NOT WHOLLY COMPARED: " + inert(line) + "\n";
  }
  for (const std::string& line : result.not_compared) {
    text += "NOT COMPARED: " + inert(line) + "\n";
  }
  return text;
}

std::string layoutJunit(const LayoutComparison& result, bool is_strict) {
  std::vector<JunitCase> cases = {{"start", is_strict && isIncomplete(result) ? result.line : "", result.line + "\n"}};
  for (int i = 0; i < kLayoutClassCount; ++i) {
    const auto what = static_cast<LayoutClass>(i);
    JunitCase& added = cases.emplace_back(JunitCase{std::string(EnumNames<LayoutClass>::name(what))});
    for (const LayoutFinding& finding : result.findings) {
      if (finding.what == what && (is_strict || finding.severity == VerifySeverity::kError)) {
        added.message = added.message.empty() ? finding.lines.front() : added.message;
        added.text += findingText(finding, Color::none());
      }
    }
  }
  const std::string suite = fmt::format("commtap verify {} --like {}", inert(result.run_id), inert(result.like_run_id));
  return junitDocument(suite, "commtap.verify.like", cases);
}

} // namespace commtap
