// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/call_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/hang/hang_groups.h"
#include "report/hang/hang_mismatch.h"
#include "report/hang/hang_waits.h"
#include "report/model/amounts.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kTimeOfDay = 11; ///< offset in a timestamp

std::string timeOfDay(uint64_t realtime_ns) {
  return formatTimestamp(realtime_ns).substr(kTimeOfDay);
}

std::string opText(const LastCollective& last) {
  std::string kind(kindName(last.kind));
  if (!last.peer) {
    return kind;
  }
  return kind + (last.kind == Kind::kSend ? " to " : " from ") + std::to_string(*last.peer);
}

} // namespace

CallSet passedCalls(std::span<const Report* const> reports) {
  CallSet passed;
  for (const std::vector<const Report*>& attempt : attemptsOf(reports)) {
    const std::vector<RankSight> sights = sightsOf(attempt);
    const HangGroups groups(sights);
    for (const RankSight& sight : sights) {
      const LastCollective* newest = sight.report->last.empty() ? nullptr : &sight.report->last.back();
      const HangGroup* group = newest == nullptr ? nullptr : groups.groupOf(*sight.report, newest->group);
      const HangMember* member = group == nullptr ? nullptr : group->memberOf(sight.rank());
      if (member != nullptr && isPassed(*group, *member, *newest)) {
        passed.insert(newest);
      }
    }
  }
  return passed;
}

/// `returned` says that the op has returned, not that its caller goes on: the newest call of a process that did not
/// exit by itself is the one that a hanging rank waits in.
std::string lastStateText(const Report& report, const LastCollective& call, const CallSet& passed) {
  const ExitKind exit = report.job.exit;
  const bool has_exited = exit == ExitKind::kNormal || exit == ExitKind::kUnderscoreExit;
  if (call.state != LastState::kReturned || has_exited) {
    return std::string(lastStateName(call.state));
  }
  if (seesCompletions(report, call.group)) {
    return "waiting";
  }
  const bool may_wait = &call == &report.last.back() && !passed.contains(&call);
  return may_wait ? "may be waiting" : std::string(lastStateName(call.state));
}

std::vector<LastRow> lastRows(const Report& report, size_t most, const CallSet& passed) {
  std::vector<LastRow> rows;
  const size_t shown = std::min(most, report.last.size());
  for (size_t i = report.last.size() - shown; i < report.last.size(); ++i) {
    const LastCollective& call = report.last[i];
    rows.push_back({report.job.rank, groupTitle(report, call.group), call, lastStateText(report, call, passed)});
  }
  return rows;
}

std::string rankName(const std::optional<int64_t>& rank) {
  return rank ? "rank " + std::to_string(*rank) : "a process without a rank";
}

std::string collectiveText(const LastCollective& last) {
  return fmt::format(
      "{} of {} for {} ({})", kindName(last.kind), humanBytes(last.bytes), inert(last.module), phaseName(last.phase));
}

std::vector<SequenceMismatch> sequenceMismatches(std::span<const Report* const> reports) {
  const std::vector<RankSight> sights = sightsOf(reports);
  const HangGroups groups(sights);
  std::vector<SequenceMismatch> found;
  for (const Mismatch& mismatch : mismatchesOf(groups)) {
    if (mismatch.reason == HangReason::kUnmatched) {
      continue;
    }
    SequenceMismatch& each = found.emplace_back();
    each.group_title = mismatch.group->title;
    each.sequence = mismatch.sequence;
    for (const MismatchSide& side : mismatch.sides) {
      each.calls.push_back({rankRanges(side.ranks), *side.call});
    }
  }
  return found;
}

std::string mismatchText(std::span<const SequenceMismatch> mismatches, const Color& color) {
  std::string text;
  for (const SequenceMismatch& mismatch : mismatches) {
    text += color.warning(fmt::format(
                "group {}: ranks have issued different collectives as number {}",
                inert(mismatch.group_title),
                mismatch.sequence)) +
            "\n";
    for (const RankCall& each : mismatch.calls) {
      text += fmt::format("  {}: {}{}\n", ranksText(each.ranks), collectiveText(each.call), factsText(each.call));
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string lastText(std::span<const LastRow> rows, const Color& color) {
  const bool has_runs = std::any_of(rows.begin(), rows.end(), [](const LastRow& row) { return !row.run.empty(); });
  Table table(
      std::string(has_runs ? "RUN|" : "") + "RANK>|GROUP|SEQ>|KIND|STATE|PAYLOAD>|MODULE|PHASE|STEP>|ISSUED AT");
  for (const auto& [rank, group_title, call, state, run] : rows) {
    std::vector<std::string> cells = {
        rank ? std::to_string(*rank) : "-",
        inert(group_title),
        std::to_string(call.sequence),
        opText(call),
        state,
        humanBytes(call.bytes),
        inert(call.module),
        std::string(phaseName(call.phase)),
        std::to_string(call.step),
        timeOfDay(call.issued_at_ns)};
    if (has_runs) {
      cells.insert(cells.begin(), inert(run));
    }
    table.add(std::move(cells));
  }
  return color.bold("Last collectives") + "\n" + table.text(color);
}

} // namespace commtap
