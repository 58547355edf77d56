// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "tracker/core/fork_locks.h"

namespace commtap {

/// Registers a CollectiveKernel for every collective op, and for ops that are defined later. `user_ops`: the
/// lines of COMMTAP_OPS.
void startKernels(const std::vector<std::string>& user_ops);

/// Removes all kernels: ops run as without commtap.
void stopKernels();

/// True while there are ops that have no kernel yet.
inline std::atomic<bool> late_ops_queued{false};
void registerQueuedOps();

ForkLock registrationForkLock();
/// Returns the lock of the queue of late ops.
ForkLock lateOpsForkLock();

/// Registers kernels for the ops that were defined since the last call. Costs one load if there are none. Must not run
/// while the dispatcher's lock is held, as in an OpRegistrationListener; a RecordFunction callback may call it.
inline void registerLateOps() {
  if (late_ops_queued.load(std::memory_order_acquire)) {
    registerQueuedOps();
  }
}

} // namespace commtap
