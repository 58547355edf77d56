// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

class GivenArguments;

/// Adds the subcommand `plan`, which runs the command of `given`. `given` must outlive `app`.
void addPlan(CLI::App& app, GivenArguments& given, int& exit_status);

} // namespace commtap
