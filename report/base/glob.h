// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// Returns true if the pattern matches the whole module name. `*` matches any text without a dot, `**` any text; `\`
/// makes the next character literal. "Net.layers.*.attention" matches that module of each layer and not its children.
bool globMatches(std::string_view pattern, std::string_view text);

/// Returns the pattern that matches only `text`.
std::string globLiteral(std::string_view text);

} // namespace commtap
