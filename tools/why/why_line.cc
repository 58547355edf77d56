// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/why_text.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/timestamp.h"
#include "report/job/job_summary.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns the ranges; of many, the first ones and the number of ranks.
std::string shownRanges(const RankRanges& ranges) {
  constexpr size_t kMostRanksShown = 8;
  if (ranges.size() <= kMostRanksShown) {
    return rangesText(ranges);
  }
  const RankRanges first(ranges.begin(), ranges.begin() + kMostRanksShown / 2);
  return fmt::format("{},... {} ranks", rangesText(first), countOf(ranges));
}

/// Returns the group's description; "group 1" for a group that has a number for a name only.
std::string groupText(const std::string& group) {
  const bool is_number = !group.empty() && group.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "group " + group : inert(group);
}

/// Returns "has" or "have".
std::string have(const RankRanges& ranges) {
  return countOf(ranges) == 1 ? "has" : "have";
}
std::string isOrAre(const RankRanges& ranges) {
  return countOf(ranges) == 1 ? "is" : "are";
}

/// Returns "320 B for MLP.net2, forward".
std::string aboutOf(const HangCall& call) {
  return fmt::format("{} for {}, {}", humanBytes(call.bytes), inert(call.module), phaseName(call.phase));
}

std::string fullNameOf(const HangCall& call) {
  return nameOf(call) + " (" + aboutOf(call) + ")";
}

/// Returns what distinguishes a call from the one that it should equal.
std::string detailOf(const HangCall& call, HangReason reason) {
  switch (reason) {
    case HangReason::kSize:
      return fmt::format("{} B", call.bytes);
    case HangReason::kDtype:
      return call.dtype.empty() ? "no tensor" : inert(call.dtype);
    case HangReason::kReduceOp:
      return call.reduce_op.empty() ? "no reduction" : inert(call.reduce_op);
    case HangReason::kRoot:
      return call.root ? "root " + std::to_string(*call.root) : "no root";
    case HangReason::kUnmatched:
      return fmt::format("{}: {} B, {}", nameOf(call), call.bytes, inert(call.dtype));
    default:
      return fmt::format("{} of {}", kindName(call.kind), aboutOf(call));
  }
}

std::string sidesOf(const Verdict& verdict) {
  std::string text;
  for (const HangCall& call : verdict.calls) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", someRanks(call.ranks), detailOf(call, verdict.reason));
  }
  return text;
}

const HangRank* firstCause(const Verdict& verdict) {
  const auto found = std::find_if(
      verdict.ranks.begin(), verdict.ranks.end(), [](const HangRank& rank) { return rank.role == RankRole::kCause; });
  return found == verdict.ranks.end() ? nullptr : &*found;
}

/// Returns what ended a job: "SIGTERM", "rank 0 gave up: SIGABRT"; "" if that is not known.
std::string enderOf(const HangEnd& end) {
  std::string how = end.signal                    ? signalName(static_cast<int>(*end.signal))
                    : end.exit_status.value_or(0) ? fmt::format("status {}", *end.exit_status)
                    : end.exit_status             ? "its launcher's signal"
                                                  : "";
  if (end.gave_up.empty()) {
    return how;
  }
  return someRanks(end.gave_up) + " gave up" + (how.empty() ? "" : ": " + how);
}

/// Returns "the job was ended (SIGTERM)".
std::string endedText(const HangEnd& end) {
  const std::string ender = enderOf(end);
  return "the job was " + (ender.empty() ? "killed" : "ended (" + ender + ")");
}

/// Returns "was killed"; "crashed" for the signal of a fault; "crashed or was killed" if no signal is known.
std::string killedText(bool is_one, const HangRank* rank) {
  if (rank != nullptr && isFault(rank->exit_signal)) {
    return "crashed";
  }
  const bool may_have_crashed = rank == nullptr || !rank->exit_signal;
  return std::string(may_have_crashed ? "crashed or " : "") + (is_one ? "was killed" : "were killed");
}

/// Returns ", 15.0 s after others began to wait" for a cause that ended well after that on one host with the others: it
/// was not its end that kept it.
std::string lateEndOf(const Verdict& verdict, const HangRank* rank) {
  constexpr double kShortS = 1;
  if (rank == nullptr || !rank->ended_at_ns || !verdict.since_ns || *rank->ended_at_ns < *verdict.since_ns) {
    return {};
  }
  const double after_s = static_cast<double>(*rank->ended_at_ns - *verdict.since_ns) / 1e9;
  const bool is_one_host = std::all_of(
      verdict.ranks.begin(), verdict.ranks.end(), [rank](const HangRank& each) { return each.host == rank->host; });
  const bool is_late = is_one_host && after_s >= kShortS;
  return is_late ? fmt::format(", {} after others began to wait", humanDuration(after_s * 1e9)) : "";
}

/// Returns why the cause does not come.
std::string stateOf(const Verdict& verdict) {
  const HangRank* rank = firstCause(verdict);
  const std::string verb = isOrAre(verdict.cause);
  switch (verdict.reason) {
    case HangReason::kKilled:
      return killedText(countOf(verdict.cause) == 1, rank) + endOf(rank) + lastOf(rank);
    case HangReason::kExited:
      return have(verdict.cause) + " exited" + endOf(rank) + lastOf(rank) + lateEndOf(verdict, rank);
    case HangReason::kNeverCame:
      return have(verdict.cause) + " no report here: never started, or in a folder that is not named";
    case HangReason::kStopped:
      return verb + " stopped (SIGSTOP or a debugger)" + lastOf(rank) +
             (verdict.call ? "" : "; no rank made progress for " + humanDuration(verdict.quiet_s * 1e9));
    case HangReason::kInNccl:
      return verb + " in " + (rank == nullptr ? "NCCL" : openCallOf(*rank)) + lastOf(rank);
    case HangReason::kBlocked:
      return verb + " blocked outside of communication" +
             (rank != nullptr && !rank->process.empty() ? " (" + rank->process + ")" : "") + lastOf(rank);
    case HangReason::kNotCome:
      return (verdict.end ? "when " + endedText(*verdict.end) : "") + lastOf(rank);
    case HangReason::kElsewhere:
      return verb + " on another machine, and in no collective that its report holds" + lastOf(rank);
    default:
      return rank != nullptr && rank->state == RankState::kWaits ? verb + " in another call"
                                                                 : verb + " computing" + lastOf(rank);
  }
}

/// Returns whether the job was ended at a time that is not known, so that no duration until then is.
bool hasEndedSometime(const Verdict& verdict) {
  return verdict.end && !verdict.end->at_ns;
}

/// A rank that has died may have left its wait before its process ended.
std::string waitOf(const Verdict& verdict) {
  if (hasEndedSometime(verdict)) {
    return "when, and how long others had waited, is not known";
  }
  const bool have_died = std::any_of(verdict.ranks.begin(), verdict.ranks.end(), [](const HangRank& rank) {
    return rank.role == RankRole::kVictim && isDead(rank.state);
  });
  return fmt::format(
      "others {} waited for {}{}",
      verdict.end || !isRunning(verdict) ? "had" : "have",
      have_died ? "up to " : "",
      humanDuration(verdict.waits_s * 1e9));
}

/// Returns "no rank here made progress for 1.20 min".
std::string quietOf(const Verdict& verdict) {
  return hasEndedSometime(verdict)
             ? "when the job was killed is not known"
             : fmt::format("no rank here made progress for {}", humanDuration(verdict.quiet_s * 1e9));
}

std::string lineOfMissing(const Verdict& verdict) {
  const std::string cause = someRanks(verdict.cause);
  if (!verdict.call) {
    return fmt::format("{} {}", cause, stateOf(verdict));
  }
  const HangCall& call = *verdict.call;
  const bool is_message = isPointToPoint(call.kind);
  const HangRank* rank = firstCause(verdict);
  if (verdict.reason == HangReason::kElsewhere && (rank == nullptr || !rank->pid)) {
    const std::string wait =
        verdict.inferred ? (verdict.end ? "may have waited" : "may wait") : (verdict.end ? "waited" : "waits");
    return fmt::format(
        "{} {} in {} for {}, which {} no report {}; {}",
        someRanks(call.ranks),
        wait,
        fullNameOf(call),
        cause,
        have(verdict.cause),
        verdict.problems.empty() ? "here: name all folders of the job" : "that could be read",
        verdict.inferred ? quietOf(verdict) : waitOf(verdict));
  }
  if (verdict.reason == HangReason::kNotCome) {
    const std::string what = is_message ? fmt::format("come to the {} of {}", fullNameOf(call), someRanks(call.ranks))
                                        : "entered " + fullNameOf(call);
    return fmt::format("{} had not {} {}; {}", cause, what, stateOf(verdict), waitOf(verdict));
  }
  const std::string what = is_message
                               ? fmt::format("{} waits in {} ({})", someRanks(call.ranks), nameOf(call), aboutOf(call))
                               : fmt::format("{} {} not entered {}", cause, have(verdict.cause), fullNameOf(call));
  const std::string who = is_message ? cause + " " : countOf(verdict.cause) == 1 ? "it " : "they ";
  return fmt::format("{}: {}{}; {}", what, who, stateOf(verdict), waitOf(verdict));
}

/// Returns "rank 0 is in new_group of ranks 0-1, ranks 2-3 are in new_group of ranks 2-3": what ranks make, and those
/// that make nothing.
std::string makersOf(const Verdict& verdict) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> makers; // by the first rank
  for (const HangRank& rank : verdict.ranks) {
    const std::string call = rank.role == RankRole::kCause ? rank.open_call : "none";
    const auto same = std::ranges::find(makers, call, [](const auto& each) { return each.first; });
    (same == makers.end() ? makers.emplace_back(call, std::vector<int64_t>()) : *same).second.push_back(rank.rank);
  }
  std::string text;
  for (auto& [call, ranks] : makers) {
    const RankRanges ranges = rankRanges(std::move(ranks));
    const std::string verb = verdict.end ? (countOf(ranges) == 1 ? "was" : "were") : isOrAre(ranges);
    text += fmt::format("{}{} {} in {}", text.empty() ? "" : ", ", someRanks(ranges), verb, inert(call));
  }
  return text;
}

/// Returns what ranks of a job that is stuck make, and that each rank has to make it.
std::string lineOfMaking(const Verdict& verdict) {
  const bool is_known = verdict.waits_s > 0 && !hasEndedSometime(verdict);
  const std::string waits = is_known ? ", for " + humanDuration(verdict.waits_s * 1e9) : "";
  const std::string then = verdict.end ? ", until " + endedText(*verdict.end) : "";
  return makersOf(verdict) + waits + then +
         "; all ranks of a job have to make each group, in one order, unless use_local_synchronization is set";
}

std::string lineOfCycle(const Verdict& verdict) {
  std::string text;
  for (size_t i = 0; i < verdict.calls.size(); ++i) {
    const HangCall& next = verdict.calls[(i + 1) % verdict.calls.size()];
    text += fmt::format(
        "{}{} in {} for {}",
        i == 0 ? "" : ", ",
        someRanks(verdict.calls[i].ranks),
        nameOf(verdict.calls[i]) + " (" + inert(verdict.calls[i].module) + ")",
        someRanks(next.ranks));
  }
  const std::string when = verdict.end ? ", until " + endedText(*verdict.end) : "";
  return fmt::format(
      "{} {} for each other{}: {}", someRanks(verdict.cause), verdict.end ? "waited" : "wait", when, text);
}

/// Returns what ranks wait for now, if a difference long ago is the cause.
std::string nowOf(const Verdict& verdict) {
  return verdict.call ? fmt::format("; now {} waits in {}", someRanks(verdict.call->ranks), fullNameOf(*verdict.call))
                      : "";
}

/// Returns "all_reduce of 64 B for Net.c, forward": what the cause made in place of the call that it skipped.
std::string nextOf(const Verdict& verdict) {
  const auto next = std::find_if(verdict.calls.begin(), verdict.calls.end(), [&verdict](const HangCall& call) {
    return call.ranks == verdict.cause;
  });
  return next == verdict.calls.end() ? "" : fmt::format("{} of {}", kindName(next->kind), aboutOf(*next));
}

/// Returns that the cause skipped a call. What ranks did in earlier steps does not show that it never makes the call.
std::string lineOfSkipped(const Verdict& verdict) {
  const HangCall& call = *verdict.call;
  const std::string skipped = isPointToPoint(call.kind)
                                  ? fmt::format(
                                        "the {} for the {} of {}",
                                        kindName(call.kind == Kind::kSend ? Kind::kRecv : Kind::kSend),
                                        fullNameOf(call),
                                        someRanks(call.ranks))
                                  : fullNameOf(call);
  const std::string next = nextOf(verdict);
  if (verdict.inferred && !next.empty() && !verdict.went_on) {
    const std::string maker = countOf(verdict.cause) == 1 ? "it" : "they";
    return fmt::format(
        "{} skipped {}, or {}: {} made {} in its place",
        someRanks(verdict.cause),
        skipped,
        isRunning(verdict) ? "will make it later" : "had yet to make it",
        maker,
        next);
  }
  const std::string went_on = next.empty() ? "" : ", and went on with " + next;
  return fmt::format("{} skipped {}{}", someRanks(verdict.cause), skipped, went_on);
}

std::string lineOfMismatch(const Verdict& verdict) {
  const HangCall& call = *verdict.call;
  const std::string where =
      fmt::format("#{} of {} [{}]", call.sequence, groupText(call.group), shownRanges(call.members));
  switch (verdict.reason) {
    case HangReason::kSkipped:
      return lineOfSkipped(verdict);
    case HangReason::kOrder:
      return fmt::format("ranks made two collectives in another order, from {} on: {}", where, sidesOf(verdict));
    case HangReason::kExtra:
      return fmt::format(
          "{} made {}, which the other ranks of the group did not", someRanks(verdict.cause), fullNameOf(call));
    case HangReason::kUnmatched:
      return fmt::format("a send and its receive differ in {}: {}", groupText(call.group), sidesOf(verdict));
    case HangReason::kOp:
      return fmt::format("ranks issued different collectives as {}: {}", where, sidesOf(verdict));
    default:
      return fmt::format(
          "ranks issued {} with different {}s: {}",
          fullNameOf(call),
          verdict.reason == HangReason::kReduceOp ? "reduction" : hangReasonName(verdict.reason),
          sidesOf(verdict));
  }
}

std::string lineOfStuck(const Verdict& verdict) {
  switch (verdict.reason) {
    case HangReason::kCycle:
      return lineOfCycle(verdict);
    case HangReason::kMakingGroup:
      return lineOfMaking(verdict);
    case HangReason::kDiverged:
      return lineOfDivergence(verdict) + nowOf(verdict);
    case HangReason::kOp:
    case HangReason::kSize:
    case HangReason::kDtype:
    case HangReason::kReduceOp:
    case HangReason::kRoot:
    case HangReason::kSkipped:
    case HangReason::kExtra:
    case HangReason::kOrder:
    case HangReason::kUnmatched:
      return lineOfMismatch(verdict);
    default:
      return lineOfMissing(verdict);
  }
}

/// Returns how many ranks have no report; 0 if that is not known.
uint64_t missingReports(const Verdict& verdict) {
  const auto world_size = static_cast<uint64_t>(std::max<int64_t>(verdict.world_size.value_or(0), 0));
  return verdict.reported == 0 || verdict.reported >= world_size ? 0 : world_size - verdict.reported;
}

/// Returns that no rank waited for one that failed.
std::string notWaitedFor(const Verdict& verdict) {
  return missingReports(verdict) > 0 ? "no rank here is known to have waited"
         : verdict.end               ? fmt::format("no rank had waited for {:g} s (--after)", verdict.patience_s)
                                     : "at the end no rank waited for another";
}

/// Returns "exited with status 1 or 3".
std::string exitedText(const Verdict& verdict) {
  std::set<int64_t> statuses;
  for (const HangRank& rank : verdict.ranks) {
    if (rank.role == RankRole::kCause && rank.exit_status.value_or(0) != 0) {
      statuses.insert(*rank.exit_status);
    }
  }
  return fmt::format("exited with status {}", fmt::join(statuses, " or "));
}

/// Returns "all ranks had issued all_reduce #9 of tp [0-1] (...) when the job was ended (SIGTERM); whether ...".
std::string lineOfCommon(const Verdict& verdict) {
  const std::string issued = fullNameOf(*verdict.call);
  const auto inside = std::find_if(
      verdict.ranks.begin(), verdict.ranks.end(), [](const HangRank& rank) { return !rank.open_call.empty(); });
  if (inside != verdict.ranks.end()) {
    return fmt::format("all ranks have issued {}; rank {} is inside {}", issued, inside->rank, openCallOf(*inside));
  }
  const std::string what = verdict.end ? fmt::format("all ranks had issued {} when {}", issued, endedText(*verdict.end))
                                       : "all ranks have issued " + issued;
  return what + "; whether it completed is not known";
}

std::string lineOfComputing(const Verdict& verdict) {
  const HangRank* rank = firstCause(verdict);
  const std::string age = humanDuration(verdict.quiet_s * 1e9);
  if (rank != nullptr && rank->child_computes) {
    return fmt::format("a child process of rank {} computes, and the last event of a rank was {} ago", rank->rank, age);
  }
  return fmt::format(
      "{} for {}, without a call of a module: computing, in an endless loop, or short of processors",
      verdict.cause.empty() ? "all ranks have run" : someRanks(verdict.cause) + ' ' + have(verdict.cause) + " run",
      age);
}

RankRanges ranksIn(const Verdict& verdict, RankState state) {
  std::vector<int64_t> ranks;
  for (const HangRank& rank : verdict.ranks) {
    if (rank.state == state) {
      ranks.push_back(rank.rank);
    }
  }
  return rankRanges(std::move(ranks));
}

/// Returns "rank 0 has exited; no rank waits for another, and none made progress for 1.20 min".
std::string lineOfQuiet(const Verdict& verdict) {
  const RankRanges exited = ranksIn(verdict, RankState::kExited);
  return fmt::format(
      "{}no rank {} for another, and none made progress for {}{}",
      exited.empty() ? "" : someRanks(exited) + " " + have(exited) + " exited; ",
      verdict.end ? "waited" : "waits",
      humanDuration(verdict.quiet_s * 1e9),
      verdict.end ? ", until " + endedText(*verdict.end) : "");
}

std::string lineOfUnknown(const Verdict& verdict) {
  switch (verdict.reason) {
    case HangReason::kComputing:
      return lineOfComputing(verdict);
    case HangReason::kNotCompleted:
      return lineOfCommon(verdict);
    case HangReason::kKilled:
      return verdict.cause.empty() ? "the ranks were killed, when is not known, and none waited for another"
                                   : lineOfMissing(verdict) + "; " + notWaitedFor(verdict);
    case HangReason::kExited:
      return fmt::format("{} {}, and {}", someRanks(verdict.cause), exitedText(verdict), notWaitedFor(verdict));
    case HangReason::kQuiet:
      return lineOfQuiet(verdict);
    case HangReason::kDamaged:
      return fmt::format(
          "parts of the ledger of {} are damaged, so the calls that it issued are not known", someRanks(verdict.cause));
    case HangReason::kNone:
      return !verdict.problems.empty() ? "no report or ledger of a rank could be read"
                                       : "no report or ledger of a rank was found: no rank has joined a process group "
                                         "here, or commtap is not in the job";
    default:
      return lineOfStuck(verdict);
  }
}

/// Returns what became of the other ranks, which lost those that failed.
std::string consequenceOf(const Verdict& verdict) {
  if (verdict.end) {
    return "then " + endedText(*verdict.end);
  }
  const std::string lost = countOf(verdict.cause) == 1 ? "it" : "them";
  return isRunning(verdict) ? "others wait for " + lost : "others ended without " + lost;
}

/// Returns "rank 2 exited with status 1 before all_reduce #9 of tp [0-2] (...); then the job was ended (SIGTERM)".
std::string lineOfCrash(const Verdict& verdict) {
  if (!verdict.call && !verdict.end) {
    return lineOfUnknown(verdict);
  }
  const HangRank* rank = firstCause(verdict);
  const std::string how = verdict.reason == HangReason::kKilled
                              ? killedText(countOf(verdict.cause) == 1, rank) + endOf(rank)
                              : exitedText(verdict);
  const bool had_waited = rank != nullptr && rank->call && !rank->waits_for.empty();
  const std::string where =
      had_waited
          ? fmt::format(" after {}, to which {} had not come", fullNameOf(*rank->call), someRanks(rank->waits_for))
      : verdict.call ? " before " + fullNameOf(*verdict.call)
                     : lastOf(rank);
  return fmt::format("{} {}{}; {}", someRanks(verdict.cause), how, where, consequenceOf(verdict));
}

/// Returns "; stuck only if it lasts 60 s (--after)" for a pause that may be the beginning of a hang.
std::string patienceText(const Verdict& verdict) {
  constexpr double kLeast = 5; // seconds
  return verdict.quiet_s >= kLeast && verdict.patience_s > verdict.quiet_s
             ? fmt::format(
                   "; stuck only if it {} {:g} s (--after)", verdict.end ? "had lasted" : "lasts", verdict.patience_s)
             : "";
}

/// Returns "the job was ended (SIGTERM), 3.20 s after the last event".
std::string lineOfEnded(const Verdict& verdict) {
  const std::string what = endedText(*verdict.end);
  return verdict.quiet_s > 0 ? fmt::format("{}, {} after the last event", what, humanDuration(verdict.quiet_s * 1e9)) +
                                   patienceText(verdict)
                             : what + " while its ranks made progress";
}

std::string lineOfHealthy(const Verdict& verdict) {
  if (verdict.end) {
    return lineOfEnded(verdict);
  }
  if (!isRunning(verdict)) {
    return "the job has ended, and at the end no rank waited for another";
  }
  const RankRanges active = ranksIn(verdict, RankState::kRuns);
  const std::string last = verdict.quiet_s > 0
                               ? fmt::format("the last event was {} ago", humanDuration(verdict.quiet_s * 1e9))
                           : verdict.call && !active.empty()
                               ? fmt::format("{} {} on", someRanks(active), countOf(active) == 1 ? "goes" : "go")
                               : "the ranks make progress";
  return (verdict.call ? last + "; " + lineOfMissing(verdict) : last) + patienceText(verdict);
}

std::string fullLineOf(const Verdict& verdict) {
  switch (verdict.status) {
    case HangStatus::kHealthy:
      return lineOfHealthy(verdict);
    case HangStatus::kUnknown:
      return "cannot tell: " + lineOfUnknown(verdict);
    case HangStatus::kFailed:
      return lineOfCrash(verdict);
    case HangStatus::kWrong:
    case HangStatus::kStuck:
      break;
  }
  return lineOfStuck(verdict) + (verdict.inferred ? " (inferred)" : "");
}

/// Returns " (without the reports of 2 of 4 ranks)" unless all ranks have a report, or the line names those without.
std::string missingText(const Verdict& verdict) {
  const bool is_named = verdict.reason == HangReason::kNeverCame || verdict.reason == HangReason::kElsewhere;
  const uint64_t missing = missingReports(verdict);
  return missing == 0 || (is_named && !verdict.cause.empty())
             ? ""
             : fmt::format(" (without the reports of {} of {} ranks)", missing, *verdict.world_size);
}

/// Returns the verdict with short names, and without the calls of ranks, which have lines of their own.
Verdict withoutDetails(const Verdict& verdict) {
  constexpr size_t kMostName = 32;
  const auto abridge = [](HangCall& call) {
    call.module = shorten(inert(call.module), kMostName);
    call.group = shorten(inert(call.group), kMostName);
  };
  Verdict abridged = verdict;
  for (HangRank& rank : abridged.ranks) {
    rank.call.reset();
  }
  if (abridged.call) {
    abridge(*abridged.call);
  }
  std::for_each(abridged.calls.begin(), abridged.calls.end(), abridge);
  return abridged;
}

} // namespace

bool isDead(RankState state) {
  return state == RankState::kExited || state == RankState::kKilled;
}

std::string someRanks(const RankRanges& ranges) {
  const std::string text = shownRanges(ranges);
  return (countOf(ranges) == 1 ? "rank " : "ranks ") + text;
}

std::string nameOf(const HangCall& call) {
  if (isPointToPoint(call.kind)) {
    const std::string peer = call.peer ? "rank " + std::to_string(*call.peer) : "any rank";
    return call.kind == Kind::kSend ? "send to " + peer : "recv from " + peer;
  }
  return fmt::format(
      "{} #{} of {} [{}]", kindName(call.kind), call.sequence, groupText(call.group), shownRanges(call.members));
}

std::string lastOf(const HangRank* rank) {
  return rank != nullptr && rank->call ? ", last call " + nameOf(*rank->call) + " for " + inert(rank->call->module)
                                       : "";
}

std::string endOf(const HangRank* rank) {
  if (rank == nullptr) {
    return {};
  }
  return rank->exit_signal                   ? " (" + signalName(static_cast<int>(*rank->exit_signal)) + ")"
         : rank->exit_status.value_or(0) > 0 ? fmt::format(" with status {}", *rank->exit_status)
                                             : "";
}

std::string openCallOf(const HangRank& rank) {
  const std::string age = rank.open_s > 0 ? " for " + humanDuration(rank.open_s * 1e9) : "";
  return inert(rank.open_call) + ", which has not returned" + age;
}

bool isFault(const std::optional<int64_t>& signal) {
  constexpr std::array<int64_t, 7> kFaults = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  return signal && std::ranges::find(kFaults, *signal) != kFaults.end();
}

bool isRunning(const Verdict& verdict) {
  return std::any_of(verdict.ranks.begin(), verdict.ranks.end(), [](const HangRank& rank) {
    return !isDead(rank.state) && rank.state != RankState::kEnded;
  });
}

std::string lineOfDivergence(const Verdict& verdict) {
  const HangDivergence& found = *verdict.divergence;
  const std::string group = fmt::format("{} [{}]", groupText(found.group), shownRanges(found.members));
  const std::string who =
      found.ranks == found.members
          ? fmt::format("the ranks of {} made different collectives", group)
          : fmt::format("{} of {} made other collectives than the rest", someRanks(found.ranks), group);
  const std::string counted =
      verdict.counts.empty() ? ""
                             : fmt::format("; they count those of {} differently", inert(verdict.counts[0].module));
  return fmt::format("{} between #{} and #{}{}", who, found.from, found.to, counted);
}

std::string lineOf(const Verdict& verdict) {
  std::string line = fullLineOf(verdict) + missingText(verdict);
  if (displayWidth(line) <= kMostColumns) {
    return line;
  }
  return fullLineOf(withoutDetails(verdict)) + missingText(verdict);
}

} // namespace commtap
