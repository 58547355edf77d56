// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/change_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/text/call_text.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string callsText(double count) {
  return fmt::format("{:.6g} {}", count, count == 1 ? "call" : "calls");
}

/// Returns "12 to 13 calls", or "12 calls" if the number is the same.
std::string callsText(const Change& change) {
  if (change.countDelta() == 0) {
    return callsText(change.after.count);
  }
  return fmt::format("{:.6g} to {:.6g} calls", change.before.count, change.after.count);
}

std::string bytesText(const Change& change) {
  if (change.bytesDelta() == 0) {
    return humanBytes(change.after.bytes);
  }
  return humanBytes(change.before.bytes) + " to " + humanBytes(change.after.bytes);
}

/// Returns " (+1.7 %)", or "" if the bytes are the same.
std::string percentSuffix(const Change& change) {
  return change.bytesDelta() == 0 ? "" : " (" + percentText(change.before.bytes, change.after.bytes) + ")";
}

std::string whereText(const ChangeBundle& change) {
  const std::string modules = change.modules.size() == 1 ? "" : fmt::format("{} modules; ", change.modules.size());
  return fmt::format(
      "in {} ({}{}, {})",
      labelledModule(change.name, change.first.label, change.first.setup),
      modules,
      phaseName(change.first.phase),
      inert(change.first.group));
}

/// Returns "; ranks 0-3 to ranks 0-1", or "" if the same ranks have the amount.
std::string ranksSuffix(const Change& change) {
  return change.hasOtherRanks() ? "; " + ranksText(change.before.on) + " to " + ranksText(change.after.on) : "";
}

/// Returns the unit of numbers in a line that does not name it otherwise: " per step", or "" for the whole run.
const char* unitSuffix(const ChangeBundle& bundle) {
  return bundle.per_step ? " per step" : "";
}

/// Returns the line of a change that only the ranks have.
std::string movedText(const ChangeBundle& bundle) {
  const Change& change = bundle.change;
  return fmt::format(
      "on {} ranks: {} {}: {} to {}, {}, {}{}",
      change.gained.empty() ? "fewer"
      : change.lost.empty() ? "more"
                            : "other",
      kindName(bundle.first.kind),
      whereText(bundle),
      ranksText(change.before.on),
      ranksText(change.after.on),
      callsText(change),
      bytesText(change),
      unitSuffix(bundle));
}

/// Returns "1 all_gather per step" if `count` is per step, or if the steps divide it evenly; otherwise and for set-up
/// "-3 broadcast per run".
std::string amountText(const ChangeBundle& bundle, double count) {
  const bool by_step =
      bundle.steps > 1 && !bundle.first.setup && std::fmod(count, static_cast<double>(bundle.steps)) == 0;
  const double each = by_step && !bundle.per_step ? count / static_cast<double>(bundle.steps) : count;
  return fmt::format(
      "{:.6g} {} per {}", each, kindName(bundle.first.kind), by_step || bundle.per_step ? "step" : "run");
}

/// Returns " (3 per run)" for a row of one run that is not in every step; "" for all others.
std::string perRunSuffix(const ChangeBundle& bundle, const PerRank& there) {
  const double calls = static_cast<double>(there.count_sum) / static_cast<double>(std::max<uint64_t>(there.ranks, 1));
  return bundle.per_step && there.count < 1 ? fmt::format(" ({:.6g} per run)", calls) : "";
}

} // namespace

std::string percentText(double before, double after) {
  if (before == after) {
    return "";
  }
  if (before == 0) {
    return "new";
  }
  const double percent = (after - before) / before * 100;
  const int decimals = std::abs(percent) < 0.1 ? 3 : std::abs(percent) < 100 ? 1 : 0;
  return fmt::format("{:+.{}f} %", percent, decimals);
}

std::string rowText(const ChangeBundle& change) {
  return std::string(kindName(change.first.kind)) + " " + whereText(change);
}

std::string changeText(const ChangeBundle& bundle) {
  const Change& change = bundle.change;
  const std::string where = whereText(bundle);
  if (change.before.ranks == 0 || change.after.ranks == 0) {
    const bool is_new = change.before.ranks == 0;
    const PerRank& there = is_new ? change.after : change.before;
    return fmt::format(
        "{}: {}{} {}: {}, {}",
        is_new ? "new" : "gone",
        amountText(bundle, there.count),
        perRunSuffix(bundle, there),
        where,
        callsText(there.count),
        humanBytes(there.bytes));
  }
  if (change.countDelta() == 0 && change.bytesDelta() == 0) {
    return movedText(bundle);
  }
  const std::string numbers = callsText(change) + ", " + bytesText(change);
  if (change.countDelta() != 0) {
    const char* sign = change.countDelta() > 0 ? "+" : "";
    return fmt::format(
        "{}{} {}: {}{}{}",
        sign,
        amountText(bundle, change.countDelta()),
        where,
        numbers,
        percentSuffix(change),
        ranksSuffix(change));
  }
  return fmt::format(
      "{} bytes of {} {}: {}{}{}",
      percentText(change.before.bytes, change.after.bytes),
      kindName(bundle.first.kind),
      where,
      numbers,
      unitSuffix(bundle),
      ranksSuffix(change));
}

std::string findingText(const Finding& finding, const JobReport& job) {
  switch (finding.what) {
    case Finding::What::kDisagreement:
      return disagreementText(*finding.disagreement, job);
    case Finding::What::kMissingRanks:
      return "no report of " + ranksText(job.missing);
    case Finding::What::kKilled:
    case Finding::What::kFailed:
      return exitText(*finding.exit);
    case Finding::What::kNotSeen:
      return fmt::format(
          "{} {}: {}",
          finding.not_seen->entry.count,
          inert(finding.not_seen->entry.reason),
          inert(finding.not_seen->entry.meaning));
    case Finding::What::kUnreadable:
    case Finding::What::kUneven:
    case Finding::What::kExposed:
    case Finding::What::kUnmatched:
    case Finding::What::kTraining:
      return inert(finding.problem);
    case Finding::What::kMore:
    case Finding::What::kLess:
    case Finding::What::kNew:
    case Finding::What::kGone:
      break;
  }
  return changeText(*finding.bundle);
}

std::string checkText(const Check& check) {
  switch (check.what) {
    case Check::What::kReadable:
      return "every report is readable";
    case Check::What::kComplete:
      return "every rank has a report";
    case Check::What::kEnded:
      return "no process was killed or ended by a signal";
    case Check::What::kSucceeded:
      return "every process that exited did so with status 0";
    case Check::What::kSeen:
      return "nothing is missing from the reports";
    case Check::What::kAgree:
      return "ranks agree";
    case Check::What::kTraining:
      return "no error in the samples of parameters";
    case Check::What::kBaseline:
      return inert(check.subject) + " equals the baseline";
    case Check::What::kPlan:
      return inert(check.subject) + " equals the plan";
    case Check::What::kBudget:
      return inert(check.subject) + " is within its budget";
    case Check::What::kNoOther:
      break;
  }
  return "no communication outside the budget";
}

} // namespace commtap
