// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commtap {

inline constexpr uint64_t kNsPerSecond = 1'000'000'000; ///< nanoseconds

/// Parses "90s", "30m", "24h" or "7d" into nanoseconds. Returns nullopt for any other text.
std::optional<uint64_t> parseDurationNs(std::string_view text);

} // namespace commtap
