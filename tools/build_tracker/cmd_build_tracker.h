// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// Adds the subcommand. `command` is the job's command and must outlive `app`; empty for `python3`.
void addBuildTracker(CLI::App& app, const std::vector<std::string>& command, int& exit_status);

} // namespace commtap
