// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace commtap {

/// Returns "" for a TOML text that toml++ can parse within `memory` and without exhausting the stack, else the reason.
/// toml++ limits lists in lists, but not the dots of a key: each is a table in a table, and destroyed by recursion.
std::string whyNotToml(std::string_view text, uint64_t memory);

} // namespace commtap
