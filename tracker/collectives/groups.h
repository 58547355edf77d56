// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tracker/core/fork_locks.h"
#include "tracker/core/thread_state.h"

namespace c10d {
class ProcessGroup;
}

namespace commtap {

/// Returns the ledger's entry for `group`, added at first use. Takes no lock if the thread's last group was the same.
GroupRef groupOf(const c10d::ProcessGroup& group, ThreadState& thread);

/// Returns the entry of the group that functional collectives call `name`; an empty reference if there is none.
GroupRef groupNamed(const std::string& name, ThreadState& thread);

ForkLock groupsForkLock();

} // namespace commtap
