// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// Finds demo.py relative to an executable in `folder`, in a build folder or an installation. The error lists the paths
/// that were tried.
Result<std::string> findDemo(const std::string& folder);

/// Adds the subcommand, which sets `exit_status` when it runs.
void addDemo(CLI::App& app, int& exit_status);

} // namespace commtap
