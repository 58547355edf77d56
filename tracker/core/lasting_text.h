// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "tracker/core/fork_locks.h"

namespace commtap {

/// Returns a NUL-terminated copy of `text` that stays valid until the process ends. Keeps each distinct text once and
/// never frees it: use it for names, whose number is bounded.
const char* lastingText(std::string_view text);

ForkLock lastingTextForkLock();

} // namespace commtap
