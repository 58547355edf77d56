// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/operations_text.h"

#include <map>
#include <tuple>

#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using Key = std::tuple<std::string, Phase, std::string, bool>; ///< module, phase, op, with a DTensor

} // namespace

std::string operationsText(const ShowView& view, const Color& color) {
  std::map<Key, uint64_t> counts;
  bool asked = false;
  for (const ReportFile* file : view.files) {
    asked = asked || file->report.operations.has_value();
    for (const Operation& row : file->report.operations.value_or(std::vector<Operation>())) {
      if (!view.filter.phase || row.phase == *view.filter.phase) {
        counts[{row.module, row.phase, row.op, row.dtensor}] += row.count;
      }
    }
  }
  if (!asked) {
    return "no ops were counted: run the job with COMMTAP_LEVEL=dtensor or COMMTAP_LEVEL=ops\n";
  }
  Table table({{"MODULE"}, {"PHASE"}, {"OP"}, {"DTENSOR"}, {"COUNT", Align::kRight}});
  for (const auto& [key, count] : counts) {
    const auto& [module, phase, op, dtensor] = key;
    table.add({inert(module), std::string(phaseName(phase)), inert(op), dtensor ? "yes" : "", std::to_string(count)});
  }
  return color.bold("By operation") + "\n" + table.text(color);
}

} // namespace commtap
