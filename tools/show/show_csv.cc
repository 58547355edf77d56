// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_csv.h"

#include <vector>

#include "tools/tables/table_text.h"

namespace commtap {
namespace {

/// Returns the report with the rows of one phase.
Report inPhase(const Report& report, Phase phase) {
  Report part = report;
  std::erase_if(part.collectives, [phase](const Collective& row) { return row.phase != phase; });
  return part;
}

} // namespace

std::string showCsvTitles() {
  return csvTitles(TableId::kCollectives);
}

std::string showCsv(const Report& report, std::optional<Phase> phase) {
  std::string text;
  const auto add = [&text](const TableCells& cells) { text += csvRow(cells); };
  forEachRow(TableId::kCollectives, phase ? inPhase(report, *phase) : report, add);
  return text;
}

} // namespace commtap
