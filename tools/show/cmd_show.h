// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// The value of `--last` if the command line gives none.
inline constexpr const char* kDefaultLast = "10";

/// Adds the subcommand, which sets `exit_status` when it runs.
void addShow(CLI::App& app, int& exit_status);

} // namespace commtap
