// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/last_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/model/totals.h"
#include "tools/show/sequence_mismatch.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr size_t kPerRank = 10;
constexpr size_t kTimeOfDay = 11; ///< where it starts in a timestamp

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

void addRow(const Report& report, const LastCollective& last, Table& table) {
  table.add(
      {report.job.rank ? std::to_string(*report.job.rank) : "-",
       inert(groupTitle(report, last.group)),
       std::to_string(last.sequence),
       opText(last),
       humanBytes(static_cast<double>(last.bytes)),
       inert(last.module),
       std::string(phaseName(last.phase)),
       std::to_string(last.step),
       timeOfDay(last.issued_at_ns),
       std::string(lastStateName(last.state))});
}

} // namespace

std::string rankName(const std::optional<int64_t>& rank) {
  return rank ? "rank " + std::to_string(*rank) : "a process without a rank";
}

std::string collectiveText(const LastCollective& last) {
  return fmt::format(
      "{} of {} for {} ({})",
      kindName(last.kind),
      humanBytes(static_cast<double>(last.bytes)),
      inert(last.module),
      phaseName(last.phase));
}

std::string mismatchText(std::span<const Report* const> reports, const Color& color) {
  std::string text;
  for (const SequenceMismatch& mismatch : mismatchesOf(reports)) {
    text += color.warning(fmt::format(
                "group {}: ranks have issued different collectives as number {}",
                inert(groupTitle(mismatch.group)),
                mismatch.sequence)) +
            "\n";
    for (const RankCall& each : mismatch.calls) {
      const std::string dtype = each.call.dtype.empty() ? "" : ", " + inert(each.call.dtype);
      text += fmt::format("  {}: {}{}\n", rankName(each.rank), collectiveText(each.call), dtype);
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string lastText(std::span<const Report* const> reports, size_t per_rank, const Color& color) {
  Table table(
      {{"RANK", Align::kRight},
       {"GROUP"},
       {"SEQ", Align::kRight},
       {"KIND"},
       {"PAYLOAD", Align::kRight},
       {"MODULE"},
       {"PHASE"},
       {"STEP", Align::kRight},
       {"ISSUED AT"},
       {"STATE"}});
  for (const Report* report : reports) {
    const size_t shown = std::min(per_rank, report->last.size());
    for (size_t i = report->last.size() - shown; i < report->last.size(); ++i) {
      addRow(*report, report->last[i], table);
    }
  }
  return color.bold("Last collectives") + "\n" + table.text(color);
}

std::string lastText(const ShowView& view, const Color& color) {
  std::vector<const Report*> reports;
  for (const ReportFile* file : view.files) {
    reports.push_back(&file->report);
  }
  return mismatchText(reports, color) + lastText(reports, kPerRank, color);
}

} // namespace commtap
