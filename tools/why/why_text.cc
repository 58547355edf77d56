// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/why_text.h"

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns which run has ended, and when: a folder may have the reports of a job long ago.
std::string runLine(const Verdict& verdict) {
  if (isRunning(verdict) || !verdict.last_activity_ns) {
    return "";
  }
  return fmt::format("Run {}, last active {}Z\n", inert(verdict.run_id), formatSecond(*verdict.last_activity_ns));
}

/// Returns "blocked (sleeps), last call all_reduce #9 of tp [0-1] for Net.a". `with_all`: the job was killed.
std::string stateText(const HangRank& rank, bool with_all) {
  const std::string process = rank.process.empty() ? "" : " (" + rank.process + ")";
  if (rank.state == RankState::kWaits && rank.call && rank.open_call.empty()) { // in a call that differs
    return fmt::format("waits in {} of {}{}", nameOf(*rank.call), inert(rank.call->module), process);
  }
  const std::string_view state = rank.state == RankState::kEnded ? "was alive until the end"
                                 : with_all && !rank.exit_signal ? "was killed with the others"
                                 : isFault(rank.exit_signal)     ? "crashed"
                                                                 : rankStateName(rank.state);
  return std::string(state) + endOf(&rank) + process + lastOf(&rank);
}

/// Returns "waits in all_reduce #9 of tp [0-1] of Net.a for rank 1". It says less about a job that failed: a rank may
/// have left the call when it lost the others.
std::string waitText(const Verdict& verdict, const HangRank& rank) {
  const bool was_ended = rank.state == RankState::kEnded;
  const bool is_over = was_ended || isDead(rank.state);
  const std::string call = rank.call ? nameOf(*rank.call) + " of " + inert(rank.call->module) : "?";
  const std::string exited = !rank.exit_signal && rank.exit_status ? "exited" + endOf(&rank) : "";
  if (verdict.status == HangStatus::kFailed && is_over) {
    const std::string ended = isFault(rank.exit_signal) ? "crashed" : was_ended ? "was ended" : "was killed";
    return fmt::format(
        "had issued {}, to which {} did not come, and {}",
        call,
        someRanks(rank.waits_for),
        exited.empty() ? ended + endOf(&rank) : exited);
  }
  return fmt::format(
      "{}{} in {} for {}{}",
      is_over ? (rank.inferred ? "may have waited" : "waited") : (rank.inferred ? "may wait" : "waits"),
      was_ended ? " until the end" + (rank.exit_signal ? endOf(&rank) : "") : "",
      call,
      someRanks(rank.waits_for),
      was_ended && !exited.empty() ? ", and " + exited : "");
}

std::string rankLine(const Verdict& verdict, const HangRank& rank) {
  const bool with_all = verdict.end && !verdict.end->at_ns && rank.state == RankState::kKilled;
  std::string text = fmt::format(
      "rank {} {}", rank.rank, rank.waits_for.empty() ? stateText(rank, with_all) : waitText(verdict, rank));
  text += rank.open_call.empty() ? "" : "; in " + openCallOf(rank);
  text += rank.steps ? ", " + counted(*rank.steps, "step") : "";
  return rank.pid ? text + fmt::format("; pid {} on {}", *rank.pid, inert(rank.host)) : text;
}

std::string countLines(const Verdict& verdict) {
  std::string text;
  for (const HangCount& count : verdict.counts) {
    text += fmt::format(
        "  {}{}{} in {} ({}): {} on {}, {} on {}\n",
        inert(count.op),
        count.dtype.empty() ? "" : " " + inert(count.dtype),
        count.reduce_op.empty() ? "" : " " + inert(count.reduce_op),
        inert(count.module),
        phaseName(count.phase),
        count.cause_count,
        someRanks(count.cause),
        count.others_count,
        someRanks(count.others));
  }
  return text.empty() ? text : "Counted differently:\n" + text;
}

/// Returns "cause", "victim" or "": also if the reports that would show the cause are elsewhere.
std::string_view shownRole(const Verdict& verdict, RankRole role) {
  const bool is_elsewhere = verdict.status == HangStatus::kUnknown && verdict.reason == HangReason::kElsewhere;
  return role == RankRole::kOther || is_elsewhere ? "" : rankRoleName(role);
}

} // namespace

std::string rankLines(const Verdict& verdict, size_t most) {
  std::string text;
  size_t lines = 0;
  for (const RankRole role : {RankRole::kCause, RankRole::kVictim, RankRole::kOther}) {
    for (const HangRank& rank : verdict.ranks) {
      if (rank.role == role && ++lines <= most) {
        text += fmt::format("  {:<7} {}\n", shownRole(verdict, role), rankLine(verdict, rank));
      }
    }
  }
  return lines > most ? text + fmt::format("  ({}: commtap why --json)\n", counted(lines - most, "more rank")) : text;
}

std::string earlierStatusText(const Verdict& verdict) {
  return verdict.earlier_status ? fmt::format(" (the event reported as {})", hangStatusName(*verdict.earlier_status))
                                : "";
}

std::string whyText(const Verdict& verdict, const Color& color) {
  const bool is_unknown = verdict.status == HangStatus::kUnknown; // the line begins with "cannot tell"
  std::string text =
      is_unknown ? verdict.line
                 : fmt::format("{}{}: {}", hangStatusName(verdict.status), earlierStatusText(verdict), verdict.line);
  text = verdict.attempt > 0 ? fmt::format("attempt {}: {}", verdict.attempt, text) : text;
  text = wrapped(text, kMostColumns);
  text.pop_back(); // the line's end is not coloured
  const bool is_down = verdict.status == HangStatus::kStuck || verdict.status == HangStatus::kFailed;
  text = is_down ? color.alarm(text) : verdict.status == HangStatus::kWrong ? color.warning(text) : text;
  text += '\n';
  if (verdict.status != HangStatus::kHealthy) {
    constexpr size_t kMostLines = 12;
    text += rankLines(verdict, kMostLines);
    text += countLines(verdict);
    if (verdict.divergence && verdict.reason != HangReason::kDiverged) {
      text += "Earlier: " + lineOfDivergence(verdict) + "\n";
    }
  }
  text += runLine(verdict);
  for (const HangStack& stack : verdict.stacks) {
    text += fmt::format("Stack of rank {} ({}):\n{}\n", stack.rank, stack.command, stack.text);
  }
  return text;
}

} // namespace commtap
