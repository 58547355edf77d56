// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "tracker/core/fork_locks.h"

namespace commtap {

/// The same text with a NUL at its end, which stays valid until the process ends. Each distinct text is kept once: for
/// names, of which a process has so many and no more.
const char* lastingText(std::string_view text);

ForkLock lastingTextForkLock();

} // namespace commtap
