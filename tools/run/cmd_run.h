// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// The arguments of `commtap run` or `commtap doctor`, split into its own and the command with its arguments.
struct RunArguments {
  std::vector<std::string> own;
  std::vector<std::string> command;
};

/// Splits at "--", or before the first word that is neither an option nor the value of an option of `commtap run`.
RunArguments splitRunArguments(const std::vector<std::string>& arguments);

/// Adds the subcommand. `command` must outlive `app`. The subcommand does not return after it has run the command.
void addRun(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

} // namespace commtap
