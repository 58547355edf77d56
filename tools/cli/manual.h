// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace commtap {

/// Returns the manual page commtap(1).
std::string manualPage(const std::vector<Verb>& verbs);

/// Returns the text of docs/commands.md.
std::string commandsPage(const std::vector<Verb>& verbs);

/// Returns a script that completes subcommands, options, their values, paths, and commands after `commtap run --`.
std::string bashCompletion(const std::vector<Verb>& verbs);
std::string zshCompletion(const std::vector<Verb>& verbs);
std::string fishCompletion(const std::vector<Verb>& verbs);

} // namespace commtap
