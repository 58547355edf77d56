// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// Makes text of any origin safe for a terminal: control characters, direction marks and invalid UTF-8 become \x1b,
/// \u{202e}. Every message of the command and of the tracker goes through it; the stub has commtap_say().
std::string inert(std::string_view text);

} // namespace commtap
