// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/sweep_text.h"

#include <fmt/format.h>

#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string callsText(double calls) {
  return fmt::format("{:.6g}", calls);
}

std::string sizeText(uint64_t bytes) {
  return humanBytes(static_cast<double>(bytes));
}

std::string rangeText(double low_ns, double high_ns) {
  return humanDuration(low_ns) + " - " + humanDuration(high_ns);
}

std::vector<TextColumn> sweepColumns(bool has_times) {
  std::vector<TextColumn> columns = {
      {"LAYOUT"},
      {"GROUP"},
      {"SIZE", Align::kRight},
      {"NODES", Align::kRight},
      {"CALLS", Align::kRight},
      {"BYTES", Align::kRight},
      {"IN NODE", Align::kRight},
      {"ACROSS", Align::kRight},
      {"SMALLEST", Align::kRight},
      {"LARGEST", Align::kRight}};
  if (has_times) {
    columns.push_back({"TIME", Align::kRight});
  }
  return columns;
}

void addPart(Table& table, const std::string& layout, const LayoutPart& part, bool has_times) {
  const bool is_all = part.size == 0;
  std::vector<std::string> cells = {
      layout,
      is_all ? "all" : part.group,
      is_all ? "" : std::to_string(part.size),
      std::to_string(part.nodes),
      callsText(part.calls),
      humanBytes(part.bytes),
      humanBytes(part.bytes - part.bytes_across),
      humanBytes(part.bytes_across),
      sizeText(part.smallest),
      sizeText(part.largest)};
  if (has_times) {
    cells.push_back(part.time ? rangeText(part.time->low_ns, part.time->high_ns) : "not measured");
  }
  table.add(std::move(cells));
}

} // namespace

std::string sweepText(const Sweep& sweep, const Color& color) {
  const bool has_times = !sweep.fabric.empty();
  Table table(sweepColumns(has_times));
  std::string notes;
  for (const SweptLayout& layout : sweep.layouts) {
    if (!layout.failure.empty()) {
      notes += inert(fmt::format("{} failed: {}", layout.name(), layout.failure)) + "\n";
      continue;
    }
    addPart(table, layout.name(), layout.all, has_times);
    for (const LayoutPart& part : layout.groups) {
      addPart(table, "", part, has_times);
    }
    for (const std::string& reason : layout.refused) {
      notes += inert(fmt::format("{} has no time for {}", layout.name(), reason)) + "\n";
    }
  }
  const std::string title = fmt::format(
      "planned, per rank and step; {} ranks, {} per node; fewest bytes across nodes first\n",
      sweep.world_size,
      sweep.per_node);
  return title + (table.empty() ? "" : table.text(color)) + notes;
}

std::string timesText(const std::vector<Messages>& messages, const Fabric& fabric, const Color& color) {
  Table table(
      {{"KIND"},
       {"GROUP"},
       {"SIZE", Align::kRight},
       {"NODES", Align::kRight},
       {"CALLS", Align::kRight},
       {"BYTES EACH", Align::kRight},
       {"TIME EACH", Align::kRight},
       {"ERROR", Align::kRight},
       {"SOURCE"}});
  for (const Messages& each : messages) {
    if (each.kind == Kind::kRecv || each.kind == Kind::kBarrier || each.group_size == 1) {
      continue; // no time of its own
    }
    const Prediction prediction = fabric.predict(each);
    const std::string sizes = each.smallest == each.largest ? sizeText(each.largest)
                                                            : sizeText(each.smallest) + " - " + sizeText(each.largest);
    table.add(
        {std::string(kindName(each.kind)),
         each.group,
         std::to_string(each.group_size),
         std::to_string(each.nodes),
         callsText(each.calls),
         sizes,
         prediction.isKnown() ? rangeText(prediction.low_ns, prediction.high_ns) : "not measured",
         prediction.isKnown() ? fmt::format("{:.0f} %", 100 * prediction.error) : "",
         prediction.isKnown() ? prediction.source : prediction.refused});
  }
  return "predicted times of single calls, per rank and step:\n" + table.text(color);
}

} // namespace commtap
