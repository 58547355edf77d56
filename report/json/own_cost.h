// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/model/model.h"

namespace commtap {

/// One number of the object, for whoever writes or reads it.
struct OwnCostField {
  const char* name;
  uint64_t OwnCost::*value;
};
inline constexpr std::array<OwnCostField, 7> kOwnCostFields = {{
    {field::kStartNs, &OwnCost::start_ns},
    {field::kCollectivesNs, &OwnCost::collectives_ns},
    {field::kModuleCallsNs, &OwnCost::module_calls_ns},
    {field::kOtherNs, &OwnCost::other_ns},
    {field::kEndNs, &OwnCost::end_ns},
    {field::kMemoryBytes, &OwnCost::memory_bytes},
    {field::kLedgerBytes, &OwnCost::ledger_bytes},
}};

/// Adds the report's object `own_cost` to a document, if it is known.
void appendOwnCost(std::string& text, const std::optional<OwnCost>& cost);

/// Throws as the cursor does.
OwnCost ownCostFrom(const JsonCursor& cursor);

} // namespace commtap
