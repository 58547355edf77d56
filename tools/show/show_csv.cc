// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/show_csv.h"

#include "tools/tables/table_text.h"

namespace commtap {
namespace {

/// The rows of one phase.
Report inPhase(const Report& report, Phase phase) {
  Report part = report;
  std::erase_if(part.collectives, [phase](const Collective& row) { return row.phase != phase; });
  return part;
}

} // namespace

std::string showCsv(const ShowView& view) {
  std::string text = csvTitles(TableId::kCollectives);
  const auto add = [&text](const Cells& cells) { text += csvRow(cells); };
  for (const ReportFile* file : view.files) {
    const std::optional<Phase>& phase = view.filter.phase;
    forEachRow(TableId::kCollectives, phase ? inPhase(file->report, *phase) : file->report, add);
  }
  return text;
}

} // namespace commtap
