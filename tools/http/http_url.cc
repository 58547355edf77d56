// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_url.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace commtap {

Result<HttpUrl> parseUrl(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  constexpr const char* kDefaultPort = ":80";
  const auto wrong = [&url](const char* expected) {
    return Result<HttpUrl>::failure(fmt::format("{}: expected {}", url, expected));
  };
  if (!url.starts_with(kScheme)) {
    return wrong("a URL that begins with http:// (there is no TLS)");
  }
  if (!std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    return wrong("a URL of printable ASCII characters without spaces");
  }
  const std::string rest = url.substr(0, url.find('#')).substr(kScheme.size());
  const size_t path = std::min(rest.find_first_of("/?"), rest.size());
  const std::string host = rest.substr(0, path);
  const bool has_port = host.rfind(':') != std::string::npos && !host.ends_with(']');
  Result<HostPort> server = parseHostPort(has_port ? host : host + kDefaultPort);
  if (!server || server->port == 0 || host.find('@') != std::string::npos) {
    return wrong("http://HOST, http://HOST:PORT or http://HOST:PORT/PATH");
  }
  const std::string tail = rest.substr(path);
  return HttpUrl{std::move(*server), tail.starts_with('/') ? tail : "/" + tail};
}

} // namespace commtap
