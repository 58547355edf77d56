// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace commtap {

/// Returns the number that `text` is as a whole, in decimal digits; nullopt for other text, or one beyond 63 bits.
inline std::optional<int64_t> wholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

} // namespace commtap
