// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/redaction.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>

namespace commtap {
namespace {

constexpr std::string_view kRedacted = "(redacted)"; ///< what a report has in place of a secret

bool isLetterOrDigit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool isInName(char c) {
  return isLetterOrDigit(c) || c == '-' || c == '_' || c == '.';
}

bool isQuote(char c) {
  return c == '"' || c == '\'';
}

/// Splits "db.passWord" into "db", "pass", "word".
std::vector<std::string> wordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_lower = false;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (!isLetterOrDigit(c) || (upper && was_lower)) {
      words.emplace_back();
    }
    if (isLetterOrDigit(c)) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    was_lower = isLetterOrDigit(c) && !upper;
  }
  std::erase(words, "");
  return words;
}

template <typename List>
bool isIn(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool isSecretWord(std::string_view word) {
  return isIn(kSecretWords, word) || std::any_of(kSecretEndings.begin(), kSecretEndings.end(), [word](auto ending) {
           return word.ends_with(ending);
         });
}

bool namesSecret(std::string_view name) {
  const std::vector<std::string> words = wordsOf(name);
  if (words.empty() || isIn(kHarmlessEndings, words.back())) {
    return false;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (isSecretWord(words[i]) || (i > 0 && isIn(kSecretWords, words[i - 1] + words[i]))) {
      return true;
    }
  }
  return false;
}

/// Returns true for an option such as "--api-key", whose value is the next argument.
bool isOption(std::string_view argument) {
  return argument.starts_with('-') && std::all_of(argument.begin(), argument.end(), isInName);
}

/// Returns the end of the value at `start`, whose name begins at `name` and is followed by `separator`.
size_t endOfValue(std::string_view text, size_t name, char separator, size_t start) {
  if (start < text.size() && isQuote(text[start])) {
    size_t end = start + 1;
    while (end < text.size() && text[end] != text[start]) {
      end += text[end] == '\\' ? 2 : 1;
    }
    return std::min(end, text.size());
  }
  const bool is_header = separator == ':' && start < text.size() && text[start - 1] == ' ' && !isQuote(text[name]);
  const bool is_whole = text.find_first_not_of("-+") >= name;
  const std::string_view ends = is_header ? "\"'\n" : is_whole && separator == '=' ? "" : "&,;}]) \t\n\"'#";
  return std::min(text.find_first_of(ends, start), text.size());
}

/// Redacts the value of each secret with its name in front: "NAME=value", "Name: value", "{\"name\": value}",
/// "?name=value".
void redactNamed(std::string& text) {
  for (size_t at = text.find_first_of("=:"); at != std::string::npos; at = text.find_first_of("=:", at + 1)) {
    const bool quoted = at > 0 && isQuote(text[at - 1]);
    const size_t name_end = quoted ? at - 1 : at;
    size_t name = name_end;
    while (name > 0 && isInName(text[name - 1])) {
      --name;
    }
    if (!namesSecret(std::string_view(text).substr(name, name_end - name))) {
      continue;
    }
    const size_t start = std::min(text.find_first_not_of(' ', at + 1), text.size());
    const size_t end = endOfValue(text, quoted ? name_end : name, text[at], start);
    const size_t first = start + (start < end && isQuote(text[start]) ? 1 : 0);
    if (first < end) {
      text.replace(first, end - first, kRedacted);
      at = first + kRedacted.size() - 1;
    }
  }
}

/// Redacts the password of "scheme://user:password@host", and the user of "scheme://token@host".
void redactAddress(std::string& text) {
  constexpr std::string_view kMark = "://";
  for (size_t mark = text.find(kMark); mark != std::string::npos; mark = text.find(kMark, mark + 1)) {
    const size_t user = mark + kMark.size();
    const size_t host_end = std::min(text.find_first_of("/?# \"'", user), text.size());
    const size_t at = std::string_view(text).substr(0, host_end).rfind('@');
    if (at == std::string::npos || at <= user) {
      continue;
    }
    const size_t colon = text.find(':', user);
    const size_t secret = colon < at ? colon + 1 : user;
    text.replace(secret, at - secret, kRedacted);
  }
}

/// Returns the end of the token of this shape at `start`; `start` if there is none.
size_t endOfShape(std::string_view text, size_t start, std::string_view shape) {
  if (!text.substr(start).starts_with(shape)) {
    return start;
  }
  size_t end = start + shape.size();
  const size_t body = end;
  while (end < text.size() && (isLetterOrDigit(text[end]) || (shape.back() == '-' && isInName(text[end])))) {
    ++end;
  }
  if (end - body < kMinShapeLength) {
    return start;
  }
  while (end < text.size() && isInName(text[end])) {
    ++end;
  }
  return end;
}

void redactShapes(std::string& text) {
  for (size_t start = 0; start < text.size(); ++start) {
    if (start > 0 && isLetterOrDigit(text[start - 1])) {
      continue;
    }
    for (const std::string_view shape : kSecretShapes) {
      if (const size_t end = endOfShape(text, start, shape); end > start) {
        text.replace(start, end - start, kRedacted);
        break;
      }
    }
  }
}

/// Redacts the password of "-pPASSWORD", as the clients of databases take it.
bool redactShortOption(std::string& text) {
  constexpr std::string_view kShort = "-p";
  if (!text.starts_with(kShort) || text.size() == kShort.size()) {
    return false;
  }
  text.replace(kShort.size(), std::string::npos, kRedacted);
  return true;
}

} // namespace

std::vector<std::string> withoutSecrets(std::vector<std::string> arguments) {
  bool is_value = false;
  for (std::string& argument : arguments) {
    if (is_value && !argument.starts_with('-')) {
      argument = kRedacted;
      is_value = false;
      continue;
    }
    is_value = isOption(argument) && namesSecret(argument);
    if (!redactShortOption(argument)) {
      redactNamed(argument);
      redactAddress(argument);
      redactShapes(argument);
    }
  }
  return arguments;
}

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
