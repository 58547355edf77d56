// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace commtap {

/// The whole program: reads the arguments (without the program's name), runs the verb, returns the exit status.
int runCommandLine(const std::vector<std::string>& arguments);

} // namespace commtap
