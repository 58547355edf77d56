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

void JsonRow::appendName(std::string_view name) {
  document_ += is_first_ ? "\"" : ",\"";
  document_ += name;
  document_ += "\":";
  is_first_ = false;
}

void JsonRow::appendText(std::string_view value) {
  if (!isPlain(value)) {
    document_ += jsonLine(value);
    return;
  }
  document_ += '"';
  document_ += value;
  document_ += '"';
}

void JsonRow::addText(std::string_view name, std::string_view value) {
  appendName(name);
  appendText(value);
}

void JsonRow::addTextOrNull(std::string_view name, std::string_view value) {
  if (value.empty()) {
    addNull(name);
  } else {
    addText(name, value);
  }
}

void JsonRow::addTexts(std::string_view name, const std::vector<std::string>& values) {
  appendName(name);
  const char* separator = "";
  document_ += '[';
  for (const std::string& value : values) {
    document_ += separator;
    appendText(value);
    separator = ",";
  }
  document_ += ']';
}

void JsonRow::addNumber(std::string_view name, uint64_t value) {
  appendName(name);
  std::array<char, 20> digits; // as many as 2^64 has
  const std::to_chars_result end = std::to_chars(digits.begin(), digits.end(), value);
  document_.append(digits.begin(), end.ptr);
}

void JsonRow::addReal(std::string_view name, double value) {
  const nlohmann::ordered_json number = numberJson(value);
  if (number.is_number_unsigned()) {
    addNumber(name, number.get<uint64_t>());
  } else {
    addJson(name, number);
  }
}

void JsonRow::addBool(std::string_view name, bool value) {
  appendName(name);
  document_ += value ? "true" : "false";
}

void JsonRow::addNull(std::string_view name) {
  appendName(name);
  document_ += "null";
}

void JsonRow::addJson(std::string_view name, const nlohmann::ordered_json& value) {
  appendName(name);
  document_ += jsonLine(value);
}

} // namespace commtap
