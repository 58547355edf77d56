// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/job/change_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "tools/text/call_text.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string callsText(double count) {
  return countText(count) + (count == 1 ? " call" : " calls");
}

/// Returns "12 to 13 calls", or "12 calls" if the number is the same.
std::string callsText(const Change& change) {
  if (change.countDelta() == 0) {
    return callsText(change.after.count);
  }
  return countText(change.before.count) + " to " + countText(change.after.count) + " calls";
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

/// Returns "; ranks 0-3 to ranks 0-1", else "; the mean of 3 ranks that differ", else "; on 1 of 4 ranks", else "".
std::string ranksSuffix(const Change& change) {
  const PerRank& there = change.after.ranks > 0 ? change.after : change.before;
  if (change.hasOtherRanks()) {
    return "; " + ranksText(change.before.on) + " to " + ranksText(change.after.on);
  }
  if (change.before.is_uneven || change.after.is_uneven) {
    return fmt::format("; the mean of {} ranks that differ", there.ranks);
  }
  return there.ranks < there.of ? fmt::format("; on {} of {} ranks", there.ranks, there.of) : "";
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
      "{} {} per {}", countText(each), kindName(bundle.first.kind), by_step || bundle.per_step ? "step" : "run");
}

/// Returns " (3 per run)" for a row of one run that is not in every step; "" for all others.
std::string perRunSuffix(const ChangeBundle& bundle, const PerRank& there) {
  const double calls = static_cast<double>(there.count_sum) / static_cast<double>(std::max<uint64_t>(there.ranks, 1));
  return bundle.per_step && there.count < 1 ? " (" + countText(calls) + " per run)" : "";
}

/// The statements on a check that follow its subject, if it has one.
struct CheckTexts {
  Check::What what;
  std::string_view passed;
  std::string_view failed;
  std::string_view more = "show"; ///< the command that says more of a failure
};

const CheckTexts& textsOf(const Check& check) {
  using What = Check::What;
  static constexpr std::array<CheckTexts, 11> kTexts = {{
      {What::kReadable, "every report is readable", "reports are unreadable"},
      {What::kComplete, "every rank has a report", "ranks have no report"},
      {What::kEnded, "no process was killed or ended by a signal", "processes were killed or ended by a signal", "why"},
      {What::kSeen, "nothing is missing from the reports", "something is missing from the reports"},
      {What::kAgree, "ranks agree", "ranks disagree", "show --ranks"},
      {What::kBaseline, " equals the baseline", " differs from the baseline", "diff"},
      {What::kBudget, " is within its budget", " is not within its budget"},
      {What::kNoOther, "no communication outside the budget", "communication outside the budget"},
      {What::kSucceeded,
       "every process that exited did so with status 0",
       "processes exited with another status than 0",
       "why"},
      {What::kTraining, "no error in the samples of parameters", "errors in the samples of parameters", "verify"},
      {What::kPlan, " equals the plan", " differs from the plan", "diff"},
  }};
  return *std::find_if(
      kTexts.begin(), kTexts.end(), [&check](const CheckTexts& row) { return row.what == check.what; });
}

} // namespace

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
        "{}: {}{} {}: {}, {}{}",
        is_new ? "new" : "gone",
        amountText(bundle, there.count),
        perRunSuffix(bundle, there),
        where,
        callsText(there.count),
        humanBytes(there.bytes),
        ranksSuffix(change));
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
      return notSeenText(*finding.not_seen);
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
  return inert(check.subject).append(textsOf(check).passed);
}

std::string_view moreOf(const Check& check) {
  return textsOf(check).more;
}

std::string failureText(const Check& check) {
  return inert(check.subject).append(textsOf(check).failed);
}

} // namespace commtap
