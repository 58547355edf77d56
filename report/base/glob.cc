// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/glob.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace commtap {
namespace {

/// One element of a pattern: a character, `*` or `**`.
struct Element {
  enum class What : uint8_t { kChar, kStar, kTwoStars };
  What what;
  char character;
};

std::vector<Element> elementsOf(std::string_view pattern) {
  std::vector<Element> elements;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.substr(i).starts_with("**")) {
      elements.push_back({Element::What::kTwoStars, '*'});
      ++i;
    } else if (pattern[i] == '*') {
      elements.push_back({Element::What::kStar, '*'});
    } else {
      i += pattern[i] == '\\' && i + 1 < pattern.size() ? 1 : 0;
      elements.push_back({Element::What::kChar, pattern[i]});
    }
  }
  return elements;
}

} // namespace

bool globMatches(std::string_view pattern, std::string_view text) {
  // fits[i]: the elements processed so far match the first i characters. Time grows with pattern length times name
  // length, without backtracking: both are untrusted input.
  std::vector<bool> fits(text.size() + 1);
  fits[0] = true;
  for (const Element& element : elementsOf(pattern)) {
    std::vector<bool> next(text.size() + 1);
    const bool is_star = element.what != Element::What::kChar;
    next[0] = is_star && fits[0];
    for (size_t i = 1; i <= text.size(); ++i) {
      const bool may_eat = element.what == Element::What::kTwoStars || text[i - 1] != '.';
      next[i] = is_star ? fits[i] || (may_eat && next[i - 1]) : fits[i - 1] && text[i - 1] == element.character;
    }
    fits = std::move(next);
  }
  return fits[text.size()];
}

std::string globLiteral(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    pattern += c == '*' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return pattern;
}

} // namespace commtap
