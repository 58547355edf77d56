// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// Returns the shell command that shows a long text in a terminal: $PAGER, else less if it is installed. "" if there is
/// none, or if stdout is not a terminal.
std::string pagerCommand(bool is_terminal);

/// Has a pager show `text`, and waits for its end. Returns false if the pager could not be started.
bool showInPager(const std::string& command, const std::string& text);

} // namespace commtap
