// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

namespace commtap {

/// Adds the subcommand `advise`.
void addAdvise(CLI::App& app, int& exit_status);

} // namespace commtap
