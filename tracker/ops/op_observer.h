// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/record_function.h>

#include "report/model/vocabulary.h"
#include "shim/commtap.h"
#include "tracker/attribution/attribution.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Installs the callback for every op that passes the dispatcher, on every thread; nullptr removes it.
///
/// Uses a torch observer (at::RecordFunction), not a kernel. A boxed fallback needs a dispatch key in every thread's
/// include set, which later threads lack. PyTorch's higher-order operators also fail on an unknown key. An observer
/// sees all threads and changes no dispatch. It exists only while a callback or a level needs it.
void setOpCallback(commtap_op_callback callback, void* context);

/// Starts counting ops in the ledger; Level::kCollectives stops it. Call LedgerWriter::countOperations() before.
void setOpLevel(Level level);

ForkLock opWatchForkLock();

/// Counts the op that `function` observes, if `level` includes it. Ignores ops that a compiler traces: they compute
/// nothing. `function` must have the op's arguments.
void countOperation(const at::RecordFunction& function, const Origin& origin, Level level);

} // namespace commtap
