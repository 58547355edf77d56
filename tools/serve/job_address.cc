// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/job_address.h"

#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "tools/text/whole_number.h"

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
  const std::optional<int64_t> number = wholeNumber(attempt->second);
  return number ? std::optional(AttemptKey(run->second, *number)) : std::nullopt;
}

std::string jobAddress(const AttemptKey& key) {
  return fmt::format("job?{}={}&{}={}", kRun, inAddress(key.first), kAttempt, key.second);
}

} // namespace commtap
