// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/http_post.h"

#include <httplib.h>

#include <utility>

#include <fmt/format.h>

namespace commtap {
namespace {

/// Returns the scheme, host and port of a URL, and its path.
std::pair<std::string, std::string> partsOf(const std::string& url) {
  const size_t host = url.find("://") + 3;
  const size_t path = url.find('/', host);
  return path == std::string::npos ? std::pair(url, std::string("/"))
                                   : std::pair(url.substr(0, path), url.substr(path));
}

} // namespace

PostAnswer postJson(const std::string& url, const std::string& json, std::chrono::seconds limit) {
  const auto [host, path] = partsOf(url);
  httplib::Client client(host);
  client.set_connection_timeout(limit);
  client.set_read_timeout(limit);
  client.set_follow_location(true);
  const httplib::Result answer = client.Post(path, json, "application/json");
  return answer ? PostAnswer{answer->status, answer->body} : PostAnswer{0, httplib::to_string(answer.error())};
}

std::string urlProblem(const std::string& url) {
  const bool is_plain = url.starts_with("http://");
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  const bool is_known = is_plain || url.starts_with("https://");
  const char* schemes = "http:// or https://";
#else
  const bool is_known = is_plain;
  const char* schemes = "http:// (this build has no TLS)";
#endif
  return is_known ? "" : fmt::format("{}: expected a URL that begins with {}", url, schemes);
}

} // namespace commtap
