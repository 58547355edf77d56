// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// Notes which Python has started this program, as the script `commtap` of an installed wheel does, and takes that out
/// of the environment: no child process is to see it. Call once, before other threads start.
void takeOwnPython();

/// Returns that Python; "python3", which is looked for on PATH, if none has started this program.
const std::string& ownPython();

} // namespace commtap
