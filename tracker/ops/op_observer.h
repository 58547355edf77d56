// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/vocabulary.h"
#include "shim/commtap.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Tells `callback` of every op that passes the dispatcher, on every thread; nullptr ends that.
///
/// An observer of torch's (at::RecordFunction), not a kernel: a boxed fallback would need a dispatch key in every
/// thread's include set, which threads made later do not have, and PyTorch's higher-order operators fail on a key that
/// they do not know. An observer sees all threads, changes no dispatch, and is not there while nobody asks for it.
void setOpCallback(commtap_op_callback callback, void* context);

/// Counts ops in the ledger from now on; Level::kCollectives ends that. The ledger must be ready for it
/// (LedgerWriter::countOperations).
void setOpLevel(Level level);

ForkLock opWatchForkLock();

} // namespace commtap
