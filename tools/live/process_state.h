// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace commtap {

/// Returns the state of a process of this machine from /proc, in words: "sleeps", "is stopped", "has ended".
std::string processStateText(uint64_t pid);

} // namespace commtap
