// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commtap {

/// "90s", "30m", "24h", "7d" in ns; nullopt for anything else.
std::optional<uint64_t> parseDurationNs(std::string_view text);

} // namespace commtap
