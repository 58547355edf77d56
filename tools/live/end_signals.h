// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace commtap {

/// Blocks SIGTERM and SIGINT in this thread and the threads it starts later. Returns the set to pass to sigwait().
sigset_t blockEndSignals();

/// Lets SIGTERM and SIGINT end the process at once with status 0, wherever it is: for a command that has nothing to
/// finish, and may be waiting for another machine, another program or a reader of its output.
void endAtSignals();

} // namespace commtap
