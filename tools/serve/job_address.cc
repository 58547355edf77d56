// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/job_address.h"

#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace commtap {
namespace {

constexpr const char* kRun = "run";
constexpr const char* kAttempt = "attempt";

std::string inAddress(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

} // namespace

std::optional<AttemptKey> attemptFrom(const std::map<std::string, std::string>& parameters) {
  const auto run = parameters.find(kRun);
  const auto attempt = parameters.find(kAttempt);
  if (run == parameters.end() || attempt == parameters.end()) {
    return std::nullopt;
  }
  const std::string& text = attempt->second;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return AttemptKey(run->second, number);
}

std::string jobAddress(const AttemptKey& key) {
  return fmt::format("job?{}={}&{}={}", kRun, inAddress(key.first), kAttempt, key.second);
}

} // namespace commtap
