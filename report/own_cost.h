// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/json_cursor.h"
#include "report/ledger_format.h"
#include "report/model.h"

namespace commtap {

/// What the process's ledger says of commtap's own cost.
OwnCost ownCostOf(const LedgerCost& ledger, uint64_t ledger_bytes);

/// Adds the report's object `own_cost` to a document, if it is known.
void appendOwnCost(std::string& text, const std::optional<OwnCost>& cost);

/// Throws as the cursor does.
OwnCost ownCostFrom(const JsonCursor& cursor);

} // namespace commtap
