// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/json_row.h"

#include <algorithm>
#include <cstring>

namespace commtap {
namespace {

/// Returns whether the text needs no escape in JSON: printable ASCII without quotes and backslashes. Tests eight bytes
/// at a time: a byte that needs an escape sets its highest bit in `special`.
bool isPlain(std::string_view text) {
  constexpr uint64_t kEach = 0x0101010101010101U;
  constexpr uint64_t kHighest = kEach * 0x80;
  const auto is_zero = [](uint64_t word) { return (word - kEach) & ~word; };
  uint64_t special = 0;
  for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
    uint64_t word = kEach * ' ';
    std::memcpy(&word, text.data() + at, std::min(sizeof(word), text.size() - at));
    special |= word | (word - kEach * ' ') | is_zero(word ^ kEach * '"') | is_zero(word ^ kEach * '\\') |
               is_zero(word ^ kEach * '\x7f');
  }
  return (special & kHighest) == 0;
}

} // namespace

void JsonRow::putText(std::string_view value) {
  if (!isPlain(value)) {
    put(jsonLine(value));
    return;
  }
  put("\"");
  put(value);
  put("\"");
}

void JsonRow::putReal(double value) {
  if (isWhole(value)) {
    putNumber(static_cast<uint64_t>(value));
  } else {
    putJson(value);
  }
}

void JsonRow::putJson(const nlohmann::ordered_json& value) {
  put(jsonLine(value));
}

} // namespace commtap
