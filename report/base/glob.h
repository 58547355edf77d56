// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace commtap {

/// Whether a pattern fits a module's name: `*` stands for any text without a dot, `**` for any text, `\` takes away
/// the meaning of what follows. "Net.layers.*.attention" fits that module of each layer and not its children.
bool globMatches(std::string_view pattern, std::string_view text);

/// The pattern that fits this text alone.
std::string globLiteral(std::string_view text);

} // namespace commtap
