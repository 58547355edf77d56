// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/finding_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/text/call_text.h"
#include "tools/text/markup.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kMostShown = 10;

const char* headOf(VerifySeverity severity) {
  switch (severity) {
    case VerifySeverity::kError:
      return "WRONG";
    case VerifySeverity::kWarning:
      return "WARNING";
    case VerifySeverity::kNote:
      break;
  }
  return "NOTE";
}

std::string stepsText(const Verification& result) {
  return result.first_step ? fmt::format("steps {} to {}", *result.first_step, result.last_step.value_or(0))
                           : "no step";
}

/// Returns the sets of ranks that hold replicas: "ranks 0-1", "4 groups of ranks, the first ranks 0-1".
std::string replicasText(const Verification& result) {
  if (result.replicas.empty()) {
    return "several ranks";
  }
  const std::string first = ranksText(result.replicas.front().ranks);
  return result.replicas.size() == 1 ? first
                                     : fmt::format("{} groups of ranks, first {}", result.replicas.size(), first);
}

std::string samplesText(const Verification& result) {
  const std::string of = result.optimizers > 1 ? fmt::format(" of {} optimizers", result.optimizers) : "";
  return fmt::format("{}{} ({})", counted(result.samples, "sample"), of, stepsText(result));
}

/// Returns how many of the replicated parameters are equal, if not all: "3 ", "none ".
std::string equalText(const Verification& result) {
  if (result.equal == result.replicated) {
    return "";
  }
  return result.equal == 0 ? "none " : fmt::format("{} ", result.equal);
}

/// Returns ". Compared too: 6 reductions of gradients, 48 rows of data and 2 buffers"; "" for nothing.
std::string comparedTooText(const Verification& result) {
  std::vector<std::string> items;
  if (result.reductions > 0) {
    items.push_back(counted(result.reductions, "reduction of gradients", "reductions of gradients"));
    items.push_back(counted(result.rows, "row") + " of data");
  }
  if (result.buffers > 0) {
    items.push_back(
        counted(result.buffers, "buffer") +
        (result.equal_buffers == result.buffers ? "" : fmt::format(" ({} equal)", result.equal_buffers)));
  }
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    text += (i == 0 ? ". Compared too: " : i + 1 == items.size() ? " and " : ", ") + items[i];
  }
  return text;
}

/// Returns what was compared, and what was not.
std::string comparedText(const Verification& result) {
  const std::string replicas =
      result.replicated == 0 ? fmt::format("no parameter is known to have replicas in {}", samplesText(result))
                             : fmt::format(
                                   "{} on {}, {}bitwise equal in {}{}",
                                   counted(result.replicated, "parameter has replicas", "parameters have replicas"),
                                   replicasText(result),
                                   equalText(result),
                                   result.equal < result.replicated && result.samples > 1 ? "all " : "",
                                   samplesText(result));
  const std::string unproven =
      result.unproven == 0 ? "" : fmt::format("; {} started equal and went apart", result.unproven);
  const std::string shards = result.sharded > 0 ? "; " + counted(result.sharded, "is a shard", "are shards") : "";
  const uint64_t others = result.parameters - result.replicated - result.unproven - result.sharded;
  const std::string rest = others > 0 ? fmt::format("; of {} more nothing shows replicas", others) : "";
  return replicas + unproven + shards + rest + comparedTooText(result) +
         (result.reductions > 0 ? ". Not checked: " : ". Not checked: gradients and data before a reduction, ") +
         "a wrong scale, and errors that all ranks share.";
}

/// Returns why nothing could be compared.
std::string nothingText(const Verification& result) {
  if (result.ranks.empty()) {
    return "no rank has samples";
  }
  if (countOf(result.ranks) == 1) {
    return "only " + ranksText(result.ranks) + " has samples";
  }
  if (result.sharded == result.parameters) {
    return fmt::format("all parameters are shards ({}, on {})", result.parameters, ranksText(result.ranks));
  }
  return fmt::format(
      "nothing says that ranks hold replicas ({} on {}, of which {} are declared as shards)",
      counted(result.parameters, "parameter"),
      ranksText(result.ranks),
      result.sharded);
}

std::string lineOf(const Verification& result) {
  switch (result.status) {
    case VerifyStatus::kWrong:
    case VerifyStatus::kSuspect:
      return fmt::format("{}: {}", headOf(result.findings.front().severity), result.findings.front().lines.front());
    case VerifyStatus::kNothingToCompare:
      return "NOTHING TO COMPARE: " + nothingText(result);
    case VerifyStatus::kOk:
      break;
  }
  return "OK: " + comparedText(result);
}

/// Returns whether parameters that may be replicas went apart between the ranks of an error before it did.
bool hasEarlierWarning(const Verification& result, const VerifyFinding& error) {
  const auto is_earlier = [&error](const VerifyFinding& other) {
    return other.what == VerifyClass::kUnproven && other.severity == VerifySeverity::kWarning &&
           other.step < error.step && other.sets == error.sets;
  };
  return error.severity == VerifySeverity::kError && error.cause == DifferenceCause::kGradients &&
         std::any_of(result.findings.begin(), result.findings.end(), is_earlier);
}

} // namespace

std::string findingText(VerifySeverity severity, const std::vector<std::string>& lines, const Color& color) {
  std::string text;
  for (const std::string& line : lines) {
    const std::string first = fmt::format("{}: {}", headOf(severity), line);
    text += text.empty() ? (severity == VerifySeverity::kNote ? first : color.warning(first)) : "  " + line;
    text += '\n';
  }
  return text;
}

void addWords(Verification& result) {
  for (VerifyFinding& finding : result.findings) {
    finding.lines = linesOf(finding);
    if (hasEarlierWarning(result, finding)) {
      finding.lines.back() += " A warning below is of an earlier step, between the same ranks: look there first.";
    }
  }
  result.line = lineOf(result);
}

std::string verifyText(const Verification& result, const Color& color) {
  std::string text = result.status == VerifyStatus::kNothingToCompare ? result.line + "\n" : "";
  for (size_t i = 0; i < std::min(result.findings.size(), kMostShown); ++i) {
    text += findingText(result.findings[i].severity, result.findings[i].lines, color);
  }
  if (result.findings.size() > kMostShown) {
    text += fmt::format("({}: --json)\n", counted(result.findings.size() - kMostShown, "more finding"));
  }
  if (result.status == VerifyStatus::kOk) {
    text += result.line + "\n";
  } else if (result.status != VerifyStatus::kNothingToCompare) {
    text += comparedText(result) + "\n";
  }
  for (const std::string& line : result.not_sampled) {
    text += "NOT SAMPLED: " + line + "\n";
  }
  return text;
}

std::string verifyJunit(const Verification& result, bool is_strict) {
  std::vector<JunitCase> cases;
  for (int i = 0; i < kVerifyClassCount; ++i) {
    cases.push_back(junitCase(result.findings, static_cast<VerifyClass>(i), is_strict));
  }
  return junitDocument("commtap verify " + inert(result.run_id), "commtap.verify", cases);
}

} // namespace commtap
