// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/run/cmd_run.h"

namespace commtap {

/// Splits the arguments after `plan` into its own and the command, at `--`.
RunArguments splitPlanArguments(const std::vector<std::string>& arguments);

/// Adds the subcommand `plan`, which runs `command`.
void addPlan(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

} // namespace commtap
