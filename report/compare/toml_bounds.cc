// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/toml_bounds.h"

#include <algorithm>

namespace commtap {
namespace {

constexpr size_t kMostDots = 8;
constexpr uint64_t kValueBytes = 512; ///< of a value with its key in memory

/// Returns the size of the string or comment at the start of `text`; 0 if there is neither. One without an end reaches
/// to the end of the text or of the line: the parser stops there.
size_t quotedSize(std::string_view text) {
  const char quote = text.front();
  if (quote == '#') {
    return std::min(text.find('\n'), text.size());
  }
  if (quote != '"' && quote != '\'') {
    return 0;
  }
  const bool is_long = text.size() >= 3 && text[1] == quote && text[2] == quote;
  const size_t marks = is_long ? 3 : 1;
  size_t at = marks;
  while (at < text.size() && (is_long || text[at] != '\n')) {
    if (text.substr(at).starts_with(text.substr(0, marks))) {
      at += marks;
      constexpr size_t kMostInside = 2; // quotes of the string itself that touch its end
      const size_t more = is_long ? std::min(text.find_first_not_of(quote, at), text.size()) - at : 0;
      return at + std::min(more, kMostInside);
    }
    at += text[at] == '\\' && quote == '"' ? 2 : 1;
  }
  return std::min(at, text.size());
}

bool endsKey(char c) {
  return c == '=' || c == ',' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}';
}

} // namespace

std::string whyNotToml(std::string_view text, uint64_t memory) {
  size_t dots = 0;
  uint64_t line = 1;
  uint64_t values = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t quoted = quotedSize(rest);
    const std::string_view token = rest.substr(0, std::max<size_t>(quoted, 1));
    rest.remove_prefix(token.size());
    line += static_cast<uint64_t>(std::count(token.begin(), token.end(), '\n'));
    if (quoted > 0) {
      continue;
    }
    const bool is_end = endsKey(token.front());
    const bool is_dot = token.front() == '.';
    dots = is_end ? 0 : dots + (is_dot ? 1 : 0);
    values += is_end || is_dot ? 1 : 0;
    if (dots > kMostDots) {
      return "line " + std::to_string(line) + ": a key has more than " + std::to_string(kMostDots) + " dots";
    }
  }
  return values * kValueBytes + text.size() <= memory
             ? ""
             : "its values may take more than " + std::to_string(memory) + " bytes of memory, which is --max-file-size";
}

} // namespace commtap
