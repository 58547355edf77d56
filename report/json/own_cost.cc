// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/own_cost.h"

#include "report/json/json_row.h"

namespace commtap {

OwnCost ownCostOf(const LedgerCost& ledger, uint64_t ledger_bytes) {
  const auto spentIn = [&](CostPart part) {
    return ledger.spent_ns[static_cast<size_t>(part)].load(std::memory_order_relaxed);
  };
  return {
      ledger.start_ns,
      spentIn(CostPart::kCollectives),
      spentIn(CostPart::kModuleCalls),
      spentIn(CostPart::kOther),
      0,
      ledger_bytes + ledger.index_bytes + ledger.thread_bytes.load(std::memory_order_relaxed),
      ledger_bytes};
}

void appendOwnCost(std::string& text, const std::optional<OwnCost>& cost) {
  if (!cost) {
    return;
  }
  text += ",\n  \"" + std::string(field::kOwnCost) + "\": ";
  JsonRow object(text);
  for (const OwnCostField& field : kOwnCostFields) {
    object.addNumber(field.name, (*cost).*field.value);
  }
}

OwnCost ownCostFrom(const JsonCursor& cursor) {
  OwnCost cost;
  for (const OwnCostField& field : kOwnCostFields) {
    cost.*field.value = cursor.number<uint64_t>(field.name);
  }
  return cost;
}

} // namespace commtap
