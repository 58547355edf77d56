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

std::vector<TextColumn> sweepColumns() {
  return {
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
}

void addPart(Table& table, const std::string& layout, const LayoutPart& part) {
  const bool is_all = part.size == 0;
  table.add(
      {layout,
       is_all ? "all" : part.group,
       is_all ? "" : std::to_string(part.size),
       std::to_string(part.nodes),
       callsText(part.calls),
       humanBytes(part.bytes),
       humanBytes(part.bytes - part.bytes_across),
       humanBytes(part.bytes_across),
       sizeText(part.smallest),
       sizeText(part.largest)});
}

} // namespace

std::string sweepText(const Sweep& sweep, const Color& color) {
  Table table(sweepColumns());
  std::string notes;
  for (const SweptLayout& layout : sweep.layouts) {
    if (!layout.failure.empty()) {
      notes += inert(fmt::format("{} failed: {}", layout.name(), layout.failure)) + "\n";
      continue;
    }
    addPart(table, layout.name(), layout.all);
    for (const LayoutPart& part : layout.groups) {
      addPart(table, "", part);
    }
  }
  const std::string title = fmt::format(
      "planned, per rank and step; {} ranks, {} per node; fewest bytes across nodes first\n",
      sweep.world_size,
      sweep.per_node);
  return title + (table.empty() ? "" : table.text(color)) + notes;
}

} // namespace commtap
