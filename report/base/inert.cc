// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/inert.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace commtap {
namespace {

struct CodePoint {
  char32_t value = 0;
  size_t size = 0; ///< bytes; 0 for invalid UTF-8
};

/// Returns the first code point of `text`, which must not be empty.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) {
    return {};
  }
  char32_t value = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) {
      return {};
    }
    value = value << 6U | (byte & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kSmallest[size] || value > 0x10ffff || surrogate ? CodePoint{} : CodePoint{value, size};
}

/// Returns whether `c` controls a terminal, changes the direction of the surrounding text or is invisible.
bool isActive(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool separator = c == 0x2028 || c == 0x2029;
  const bool direction =
      c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  const bool invisible = c == 0xfeff || (c >= 0x206a && c <= 0x206f);
  return control || separator || direction || invisible;
}

/// Appends `value` with at least `digits` hexadecimal digits.
void appendHex(std::string& text, uint32_t value, int digits) {
  constexpr int kBits = 4; // of a digit
  for (int more = 8; more > 0; --more) {
    const int shift = (more - 1) * kBits;
    if (more <= digits || value >> static_cast<uint32_t>(shift) != 0) {
      text += "0123456789abcdef"[value >> static_cast<uint32_t>(shift) & 0xfU];
    }
  }
}

} // namespace

std::string inert(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const size_t size = point.size == 0 ? 1 : point.size;
    if (point.size == 0 || (point.size == 1 && isActive(point.value))) {
      safe += "\\x";
      appendHex(safe, static_cast<unsigned char>(text[0]), 2);
    } else if (isActive(point.value)) {
      safe += "\\u{";
      appendHex(safe, point.value, 1);
      safe += '}';
    } else {
      safe += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return safe;
}

} // namespace commtap
