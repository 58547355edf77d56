// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_csv.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/tables/table_text.h"

namespace commtap {
namespace {

/// Returns the report with the rows that the filter keeps.
Report filtered(const Report& report, const ShowFilter& filter) {
  Report part = report;
  const auto is_left_out = [&filter](const auto& row) {
    return !filter.shows(row.module) || (filter.phase && row.phase != *filter.phase);
  };
  std::erase_if(part.collectives, is_left_out);
  std::erase_if(part.last, is_left_out);
  if (part.operations) {
    std::erase_if(*part.operations, is_left_out);
  }
  if (part.nccl) {
    std::erase_if(part.nccl->calls, is_left_out);
  }
  return part;
}

void keepNewest(size_t most, std::vector<LastCollective>& last) {
  last.erase(last.begin(), last.end() - static_cast<std::ptrdiff_t>(std::min(most, last.size())));
}

} // namespace

Result<TableId> csvTableOf(const ShowFilter& filter) {
  using Chosen = Result<TableId>;
  const std::pair<const char*, bool> without_effect[] = {
      {"--depth", filter.depth.has_value()},
      {"--all", filter.all},
      {"--sort", filter.sort.has_value()},
      {"--top", filter.top.has_value()},
      {"--per-step", filter.per_step},
      {"--time", filter.time},
      {"--phase", filter.phase && filter.steps},
      {"--module", !filter.module.empty() && filter.steps}};
  for (const auto& [option, is_given] : without_effect) {
    if (is_given) {
      return Chosen::failure(std::string(option) + " does not change the rows of this csv: leave it out");
    }
  }
  const std::pair<TableId, bool> tables[] = {
      {TableId::kSteps, filter.steps},
      {TableId::kLast, filter.last > 0},
      {TableId::kOperations, filter.operations},
      {TableId::kNcclCalls, filter.nccl}};
  TableId table = TableId::kCollectives;
  for (const auto& [id, is_asked] : tables) {
    if (is_asked && table != TableId::kCollectives) {
      return Chosen::failure("csv holds one table: give one of --steps, --last, --operations and --nccl");
    }
    table = is_asked ? id : table;
  }
  return table;
}

std::string showCsv(const Report& report, TableId table, const ShowFilter& filter) {
  std::string text;
  const auto add = [&text](const TableCells& cells) { text += csvRow(cells); };
  if (filter.phase || filter.last > 0 || !filter.module.empty()) {
    Report part = report;
    keepNewest(filter.last, part.last);
    forEachRow(table, filtered(part, filter), add);
  } else {
    forEachRow(table, report, add);
  }
  return text;
}

} // namespace commtap
