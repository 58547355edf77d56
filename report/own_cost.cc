// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/own_cost.h"

#include <nlohmann/json.hpp>

#include "report/fields.h"
#include "report/json_write.h"

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
  const nlohmann::ordered_json object = {
      {field::kStartNs, cost->start_ns},
      {field::kCollectivesNs, cost->collectives_ns},
      {field::kModuleCallsNs, cost->module_calls_ns},
      {field::kOtherNs, cost->other_ns},
      {field::kEndNs, cost->end_ns},
      {field::kMemoryBytes, cost->memory_bytes},
      {field::kLedgerBytes, cost->ledger_bytes},
  };
  text += ",\n  \"" + std::string(field::kOwnCost) + "\": " + jsonLine(object);
}

OwnCost ownCostFrom(const JsonCursor& cursor) {
  return {
      cursor.number<uint64_t>(field::kStartNs),
      cursor.number<uint64_t>(field::kCollectivesNs),
      cursor.number<uint64_t>(field::kModuleCallsNs),
      cursor.number<uint64_t>(field::kOtherNs),
      cursor.number<uint64_t>(field::kEndNs),
      cursor.number<uint64_t>(field::kMemoryBytes),
      cursor.number<uint64_t>(field::kLedgerBytes)};
}

} // namespace commtap
