// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/duration.h"

#include <charconv>

namespace commtap {
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
