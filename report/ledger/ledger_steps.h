// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Ends the step in records[0] at `now_ns` and begins the next one there. What is added to records[0] meanwhile counts
/// for one of the two. `used`: how many of `records` hold something; returns how many do now. `room` for one more.
uint64_t closeStep(std::span<LedgerStep> records, uint64_t used, uint64_t number, uint64_t now_ns);

/// A week of steps fits: once all records are used, those after the first kExactSteps are joined in pairs.
/// Returns how many hold something then.
uint64_t joinSteps(std::span<LedgerStep> records, uint64_t used);

void clearStep(LedgerStep& record);

} // namespace commtap
