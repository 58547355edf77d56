// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/vocabulary.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Counts ops as well, if `level` asks for it. Once the recorder has started.
void startOps(Level level);

/// Takes everything out of the process that costs anything, or puts it back. Any thread that does not hold the GIL.
void setCounting(bool on);

ForkLock countingForkLock();

} // namespace commtap
