// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_access.h"

#include <algorithm>
#include <string_view>

#include "tools/cli/host_port.h"

namespace commtap {
namespace {

constexpr std::string_view kScheme = "Bearer ";

/// Returns the host of "NAME", "NAME:PORT" or "[IPV6]:PORT".
std::string_view hostIn(std::string_view header) {
  if (header.starts_with('[')) {
    const size_t end = header.find(']');
    return end == std::string_view::npos ? "" : header.substr(1, end - 1);
  }
  return header.substr(0, header.find(':'));
}

/// Compares in a time that depends on the lengths only, so that answers do not reveal how much of a guess is right.
bool isEqual(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

} // namespace

int HttpAccess::statusFor(const std::string& host, const std::string& authorization) const {
  constexpr int kOk = 200;
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  if (only_loopback_names && !isLoopbackName(hostIn(host))) {
    return kForbidden;
  }
  return token.empty() || isEqual(authorization, std::string(kScheme) + token) ? kOk : kUnauthorized;
}

} // namespace commtap
