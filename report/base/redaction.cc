// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/redaction.h"

#include <algorithm>
#include <cctype>

namespace commtap {
namespace {

bool namesSecret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return std::any_of(kSecretWords.begin(), kSecretWords.end(), [&](std::string_view word) {
    return upper.find(word) != std::string::npos;
  });
}

/// Returns true for an option such as "--api-key", whose value is the next argument.
bool isOption(std::string_view argument) {
  return argument.starts_with('-') && argument.find('=') == std::string_view::npos;
}

/// Redacts the password of "scheme://user:password@host".
void redactPassword(std::string& argument) {
  const size_t start = argument.find("://");
  if (start == std::string::npos) {
    return;
  }
  const size_t host = start + 3;
  const size_t at = argument.substr(0, argument.find('/', host)).rfind('@');
  const size_t colon = argument.find(':', host);
  if (at != std::string::npos && at > host && colon < at) {
    argument.replace(colon + 1, at - colon - 1, kRedacted);
  }
}

} // namespace

std::vector<std::string> withoutSecrets(std::vector<std::string> arguments) {
  bool is_value = false;
  for (std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    if (is_value && !argument.starts_with('-')) {
      argument = kRedacted;
      is_value = false;
      continue;
    }
    is_value = isOption(argument) && namesSecret(argument);
    if (equals != std::string::npos && namesSecret(std::string_view(argument).substr(0, equals))) {
      argument.replace(equals + 1, std::string::npos, kRedacted);
    } else {
      redactPassword(argument);
    }
  }
  return arguments;
}

} // namespace commtap
