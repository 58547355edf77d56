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

/// The ledger's entry for `group`, made at first sight. A few nanoseconds when the thread's last group was the same.
GroupRef groupOf(const c10d::ProcessGroup& group, ThreadState& thread);

/// By the name under which functional collectives know it; an empty reference if there is no such group.
GroupRef groupNamed(const std::string& name, ThreadState& thread);

ForkLock groupsForkLock();

} // namespace commtap
