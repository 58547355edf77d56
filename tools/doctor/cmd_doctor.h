// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

class GivenArguments;

/// Adds the subcommand, which examines the command of `given`; `python3` if there is none. `given` must outlive `app`.
void addDoctor(CLI::App& app, GivenArguments& given, int& exit_status);

} // namespace commtap
