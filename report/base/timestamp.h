// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commtap {

/// Formats as RFC 3339 in UTC with microseconds: "2026-11-21T06:05:56.123456Z".
std::string formatTimestamp(uint64_t realtime_ns);
/// Formats as formatTimestamp() up to the second, without the zone: "2026-11-21T06:05:56".
std::string formatSecond(uint64_t realtime_ns);
/// Parses the format of formatTimestamp(). Returns nullopt for any other text.
std::optional<uint64_t> parseTimestamp(const std::string& text);

inline constexpr uint64_t kNsPerSecond = 1'000'000'000; ///< nanoseconds

/// Parses "90s", "30m", "24h" or "7d" into nanoseconds. Returns nullopt for any other text.
std::optional<uint64_t> parseDurationNs(std::string_view text);

} // namespace commtap
