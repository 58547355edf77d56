// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace commtap {

/// SIGTERM and SIGINT wait from here on, in this thread and in those that it starts, for sigwait and its like.
sigset_t blockEndSignals();

} // namespace commtap
