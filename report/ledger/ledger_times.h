// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Raises a number to `value`, if it is lower. Any thread, without a lock.
void raiseTo(std::atomic<uint64_t>& highest, uint64_t value);

/// Adds a duration. Any thread, without a lock.
void addDuration(LedgerDurations& durations, uint64_t ns);

/// Returns the durations added so far. If other threads are adding, each number is a value that it had at some moment.
Durations durationsOf(const LedgerDurations& durations);

} // namespace commtap
