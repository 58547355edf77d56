// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace commtap {

/// Returns commtap: its verbs in the order of the help, each with all its options.
Verb commtapProgram();

/// The whole program: reads the arguments (without the program's name), runs the verb, returns the exit status.
int runCommandLine(const std::vector<std::string>& arguments);

} // namespace commtap
