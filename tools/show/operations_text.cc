// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/operations_text.h"

#include <algorithm>

#include "report/base/glob.h"
#include "report/model/saturating.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {

void OperationCounts::add(const Report& report) {
  is_known_ = is_known_ || report.operations.has_value();
  if (!report.operations) {
    return;
  }
  for (const Operation& row : *report.operations) {
    if (!phase_ || row.phase == *phase_) {
      addSaturating(counts_[{row.module, row.phase, row.op, row.dtensor}], row.count);
    }
  }
}

bool OperationCounts::isSaturated() const {
  return std::any_of(counts_.begin(), counts_.end(), [](const auto& row) { return row.second == UINT64_MAX; });
}

std::string operationsText(const OperationCounts& operations, const Color& color, const std::string& module_pattern) {
  if (!operations.isKnown()) {
    return "no ops were counted: run the job with COMMTAP_LEVEL=dtensor or COMMTAP_LEVEL=ops\n";
  }
  Table table("MODULE|PHASE|OP|DTENSOR|COUNT>");
  for (const auto& [key, count] : operations.counts()) {
    const auto& [module, phase, op, dtensor] = key;
    if (!module_pattern.empty() && !globMatches(module_pattern, module)) {
      continue;
    }
    table.add({inert(module), std::string(phaseName(phase)), inert(op), dtensor ? "yes" : "", std::to_string(count)});
  }
  return color.bold("By operation") + "\n" + table.text(color);
}

} // namespace commtap
