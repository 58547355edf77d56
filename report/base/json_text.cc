// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/json_text.h"

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

namespace commtap {
namespace {

constexpr int kMaxNesting = 100;

nlohmann::json parse(std::string_view text) {
  if (nestsTooDeeply(text)) {
    return {};
  }
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// Returns the length of the longest part of `text` without a mark that ends a value or a name.
size_t longestStretch(std::string_view text) {
  size_t longest = 0;
  size_t length = 0;
  for (const char c : text) {
    length = c == ',' || c == ':' || c == '[' || c == '{' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  return longest;
}

} // namespace

bool nestsTooDeeply(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0; // the escaped character
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxNesting) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

uint64_t mostJsonValues(std::string_view text) {
  uint64_t values = 1;
  for (const char c : text) { // also within strings: without branches, it adds no time to reading
    values += static_cast<uint64_t>(c == ',') + static_cast<uint64_t>(c == ':') + static_cast<uint64_t>(c == '[') +
              static_cast<uint64_t>(c == '{');
  }
  return values;
}

uint64_t jsonMemory(std::string_view text) {
  constexpr uint64_t kValue = 96;  // bytes of the costliest value: a list in a list
  constexpr uint64_t kBuffers = 4; // a blank is kept once, a character of a string twice, each in up to twice its bytes
  return mostJsonValues(text) * kValue + longestStretch(text) * kBuffers;
}

std::string stringsToJson(const std::vector<std::string>& strings) {
  return nlohmann::json(strings).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> stringsFromJson(std::string_view text) {
  std::vector<std::string> strings;
  const nlohmann::json list = parse(text);
  if (list.is_array()) {
    for (const nlohmann::json& item : list) {
      strings.push_back(item.is_string() ? item.get<std::string>() : item.dump());
    }
  }
  return strings;
}

std::vector<int64_t> integersFromJson(std::string_view text) {
  std::vector<int64_t> integers;
  const nlohmann::json list = parse(text);
  if (list.is_array()) {
    for (const nlohmann::json& item : list) {
      integers.push_back(item.is_number_integer() ? item.get<int64_t>() : -1);
    }
  }
  return integers;
}

} // namespace commtap
