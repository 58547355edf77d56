// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_get.h"

#include <doctest/doctest.h>

#include <thread>

#include "tests/unit/running_server.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

void addPaths(HttpServer& server) {
  server.get("/x", [](const HttpRequest&) { return HttpAnswer{"text/plain", "the page"}; });
  server.get("/long", [](const HttpRequest&) { return HttpAnswer{"text/plain", std::string(size_t{3} << 20U, 'x')}; });
  server.get("/slow", [](const HttpRequest&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    return HttpAnswer{"text/plain", "late"};
  });
}

TEST_CASE("a page is read; without it there is the reason") {
  const RunningServer running(addPaths);
  const GetTarget target{running.address(), "/x", ""};
  CHECK(*getPage(target, {}) == "the page");
  CHECK(has(getPage({running.address(), "/nowhere", ""}, {}).error(), "status 404"));
  CHECK(has(getPage({{"127.0.0.1", 1}, "/x", ""}, {}).error(), "no connection"));
}

TEST_CASE("a token is sent, and missing or wrong ones are distinguished") {
  const RunningServer running(addPaths, {.token = "0123456789abcdef"});
  CHECK(*getPage({running.address(), "/x", "0123456789abcdef"}, {}) == "the page");
  CHECK(has(getPage({running.address(), "/x", ""}, {}).error(), "add --token-file"));
  CHECK(has(getPage({running.address(), "/x", "another-token-1234"}, {}).error(), "refuses the token"));
}

TEST_CASE("an answer that is too long or too late ends") {
  const RunningServer running(addPaths);
  HttpLimits limits;
  limits.bytes = 1U << 20U;
  CHECK(has(getPage({running.address(), "/long", ""}, limits).error(), "longer than 1 MiB"));
  limits.answer = std::chrono::milliseconds(100);
  CHECK(has(getPage({running.address(), "/slow", ""}, limits).error(), "no complete answer within 0.1 s"));
}

} // namespace
} // namespace commtap
