// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json_row.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "report/json_write.h"

namespace commtap {
namespace {

/// Stands in JSON as it is: printable ASCII without quotes and backslashes.
bool isPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

} // namespace

void JsonRow::putName(std::string_view name) {
  put(is_first_ ? std::string_view("\"") : std::string_view(",\""));
  put(name);
  put("\":");
  is_first_ = false;
}

void JsonRow::putText(std::string_view value) {
  if (!isPlain(value)) {
    put(jsonLine(value));
    return;
  }
  put("\"");
  put(value);
  put("\"");
}

void JsonRow::addText(std::string_view name, std::string_view value) {
  putName(name);
  putText(value);
}

void JsonRow::addTextOrNull(std::string_view name, std::string_view value) {
  if (value.empty()) {
    addNull(name);
  } else {
    addText(name, value);
  }
}

void JsonRow::addTexts(std::string_view name, const std::vector<std::string>& values) {
  putList(name, values, [this](const std::string& value) { putText(value); });
}

void JsonRow::addNumber(std::string_view name, uint64_t value) {
  putName(name);
  std::array<char, 20> digits; // as many as 2^64 has
  const std::to_chars_result end = std::to_chars(digits.begin(), digits.end(), value);
  put({digits.data(), end.ptr});
}

void JsonRow::addReal(std::string_view name, double value) {
  if (isWhole(value)) {
    addNumber(name, static_cast<uint64_t>(value));
  } else {
    addJson(name, value);
  }
}

void JsonRow::addBool(std::string_view name, bool value) {
  putName(name);
  put(value ? std::string_view("true") : std::string_view("false"));
}

void JsonRow::addNull(std::string_view name) {
  putName(name);
  put("null");
}

void JsonRow::addJson(std::string_view name, const nlohmann::ordered_json& value) {
  putName(name);
  put(jsonLine(value));
}

} // namespace commtap
