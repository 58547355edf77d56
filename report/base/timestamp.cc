// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/timestamp.h"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <ctime>

namespace commtap {
namespace {

constexpr uint64_t kNsPerMicrosecond = 1'000;

} // namespace

std::string formatSecond(uint64_t realtime_ns) {
  const auto seconds = static_cast<time_t>(realtime_ns / kNsPerSecond);
  tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  return text.data();
}

std::string formatTimestamp(uint64_t realtime_ns) {
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%06" PRIu64 "Z", realtime_ns % kNsPerSecond / kNsPerMicrosecond);
  return formatSecond(realtime_ns) + fraction.data();
}

std::optional<uint64_t> parseTimestamp(const std::string& text) {
  tm utc{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  uint64_t microseconds = 0;
  int end = 0;
  if (rest == nullptr || std::sscanf(rest, ".%6" SCNu64 "Z%n", &microseconds, &end) != 1 || rest[end] != '\0') {
    return std::nullopt;
  }
  const time_t seconds = timegm(&utc);
  const uint64_t time = static_cast<uint64_t>(seconds) * kNsPerSecond + microseconds * kNsPerMicrosecond;
  const bool same = seconds >= 0 && formatTimestamp(time) == text; // false for ".5Z" and for February 30
  return same ? std::optional<uint64_t>(time) : std::nullopt;
}

namespace {

std::optional<uint64_t> unitNs(char unit) {
  switch (unit) {
    case 's':
      return kNsPerSecond;
    case 'm':
      return 60 * kNsPerSecond;
    case 'h':
      return 3600 * kNsPerSecond;
    case 'd':
      return 86'400 * kNsPerSecond;
    default:
      return std::nullopt;
  }
}

} // namespace

std::optional<uint64_t> parseDurationNs(std::string_view text) {
  const std::optional<uint64_t> unit = text.empty() ? std::nullopt : unitNs(text.back());
  uint64_t number = 0;
  const char* end = text.data() + (text.empty() ? 0 : text.size() - 1);
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool valid = unit && error == std::errc() && rest == end && number <= UINT64_MAX / *unit;
  return valid ? std::optional(number * *unit) : std::nullopt;
}

} // namespace commtap
