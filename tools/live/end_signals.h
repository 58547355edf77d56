// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace commtap {

/// Blocks SIGTERM and SIGINT in this thread and the threads it starts later. Returns the set to pass to sigwait().
sigset_t blockEndSignals();

} // namespace commtap
