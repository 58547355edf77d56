// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// Adds the subcommand.
void addHelp(CLI::App& app, int& exit_status);

} // namespace commtap
