// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/cli/given_arguments.h"

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// Splits at "--", or before the first word that is neither an option nor the value of an option of `commtap run`.
SplitArguments splitRunArguments(const std::vector<std::string>& arguments);

/// Adds the subcommand, which runs the command of `given`. `given` must outlive `app`. The subcommand does not return
/// after it has run the command.
void addRun(CLI::App& app, GivenArguments& given, int& exit_status);

} // namespace commtap
