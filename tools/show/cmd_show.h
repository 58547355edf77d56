// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace commtap {

/// Adds the subcommand, which sets `exit_status` when it runs.
void addShow(CLI::App& app, int& exit_status);

} // namespace commtap
