// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/host_port.h"

#include <arpa/inet.h>
#include <strings.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "report/base/text_file.h"

namespace commtap {

bool isLoopbackName(std::string_view host) {
  const std::string name(host);
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, name.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  if (inet_pton(AF_INET6, name.c_str(), &v6) == 1) {
    return IN6_IS_ADDR_LOOPBACK(&v6);
  }
  return strcasecmp(name.c_str(), "localhost") == 0;
}

bool HostPort::isLoopback() const {
  return isLoopbackName(host);
}

std::string HostPort::text() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<HostPort> parseHostPort(std::string_view text) {
  const auto wrong = [text] {
    return Result<HostPort>::failure(fmt::format("\"{}\" is not HOST:PORT, such as 127.0.0.1:9464", text));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return wrong();
  }
  HostPort address;
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) {
    return wrong();
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong();
  }
  if (host.empty()) {
    return wrong();
  }
  address.host = host;
  return address;
}

namespace {

constexpr size_t kMinTokenLength = 16;

} // namespace

Result<std::string> readTokenFile(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text) {
    return text;
  }
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!plain || token.size() < kMinTokenLength) {
    return Result<std::string>::failure(fmt::format(
        "{}: a token is at least {} printable ASCII characters without spaces, in the first line",
        path,
        kMinTokenLength));
  }
  return token;
}

} // namespace commtap
