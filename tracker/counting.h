// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/vocabulary.h"
#include "shim/tracker_abi.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Starts to count ops if `level` asks for it. Call only once the ledger has started.
void startOps(Level level);

/// Removes everything that costs anything from the process, or installs it again. The caller does not hold the GIL.
void setCounting(bool on);

ForkLock countingForkLock();

/// Returns the functions behind shim/commtap.h. Call only once the tracker has started.
commtap_api apiTable();

} // namespace commtap
