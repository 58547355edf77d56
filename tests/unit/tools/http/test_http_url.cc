// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_url.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string textOf(const std::string& url) {
  const Result<HttpUrl> parsed = parseUrl(url);
  return parsed ? parsed->server.text() + " " + parsed->path : parsed.error();
}

TEST_CASE("a URL has a host, a port or 80, and a path") {
  CHECK(textOf("http://host:8080/a/b?c=d") == "host:8080 /a/b?c=d");
  CHECK(textOf("http://host") == "host:80 /");
  CHECK(textOf("http://host?c=d") == "host:80 /?c=d");
  CHECK(textOf("http://[::1]:4318/v1/metrics#part") == "[::1]:4318 /v1/metrics");
  CHECK(textOf("http://[::1]/") == "[::1]:80 /");
}

TEST_CASE("what is no URL is said") {
  CHECK(has(textOf("https://host/"), "https://host/: expected a URL that begins with http:// (there is no TLS)"));
  CHECK(has(textOf("host/path"), "begins with http://"));
  for (const char* wrong :
       {"http://", "http:///x", "http://host:0/", "http://host:x/", "http://user@host/", "http://a:b:c/"}) {
    CAPTURE(wrong);
    CHECK(has(textOf(wrong), "expected http://HOST"));
  }
  for (const char* wrong : {"http://host/a b", "http://host/\r\nX: y", "http://host/\x1b"}) {
    CAPTURE(wrong);
    CHECK(has(textOf(wrong), "without spaces"));
  }
}

} // namespace
} // namespace commtap
