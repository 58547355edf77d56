// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace commtap {

/// The arguments of `commtap run`: ours, and the command with its own.
struct RunArguments {
  std::vector<std::string> own;
  std::vector<std::string> command;
};

/// The command starts after "--", or at the first word that is no flag of ours and no flag's value.
RunArguments splitRunArguments(const std::vector<std::string>& arguments);

/// Adds the verb. `command` must live as long as `app`. The verb does not return when it has run the command.
void addRun(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

} // namespace commtap
