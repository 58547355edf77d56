// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_server.h"

#include <csignal>

#include <doctest/doctest.h>

#include "tests/unit/running_server.h"

namespace commtap {
namespace {

TEST_CASE("a loopback server answers only to loopback names") {
  const HttpAccess access{.only_loopback_names = true};
  for (const char* host : {"localhost", "LOCALHOST:9464", "127.0.0.1:1", "127.9.9.9", "[::1]:9464", "[::1]"}) {
    CAPTURE(host);
    CHECK(access.statusFor(host, "") == 200);
  }
  for (const char* host :
       {"",
        "evil.example",
        "127.0.0.1.evil.example:9464",
        "localhost.evil.example",
        "[::1",
        "0.0.0.0:9464",
        "[::]",
        "["}) {
    CAPTURE(host);
    CHECK(access.statusFor(host, "") == 403);
  }
  CHECK(HttpAccess{}.statusFor("node1.example:9464", "") == 200);
}

TEST_CASE("a server with a token answers only requests that have it") {
  const HttpAccess access{.token = "0123456789abcdef"};
  CHECK(access.statusFor("h", "Bearer 0123456789abcdef") == 200);
  for (const char* authorization :
       {"",
        "Bearer",
        "Bearer ",
        "0123456789abcdef",
        "Bearer 0123456789abcdeg",
        "Bearer 0123456789abcdef0",
        "Basic x"}) {
    CAPTURE(authorization);
    CHECK(access.statusFor("h", authorization) == 401);
  }
}

void addPath(HttpServer& server) {
  server.get("/x", [](const HttpRequest& request) {
    const auto to = request.parameters.find("to");
    const bool is_there = to != request.parameters.end();
    return HttpAnswer{"text/plain", "accepts " + request.accept + (is_there ? " to " + to->second : "")};
  });
  server.get("/gone", [](const HttpRequest&) { return HttpAnswer{"text/plain", "gone", 410, "default-src 'self'"}; });
}

TEST_CASE("a GET of a known path is answered with headers that forbid scripts") {
  const RunningServer running(addPath);
  const std::string answer = running.ask("GET /x HTTP/1.1\r\nHost: h\r\nAccept: a/b\r\nConnection: close\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 200 "));
  CHECK(answer.ends_with("\r\n\r\naccepts a/b"));
  CHECK(answer.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
  CHECK(answer.find("Content-Security-Policy: default-src 'none'") != std::string::npos);
}

TEST_CASE("a handler receives the query and can set the status and the policy") {
  const RunningServer running(addPath);
  CHECK(running.get("/x?to=a%20%26%2Bb&from=c").ends_with(" to a &+b"));
  const std::string answer = running.get("/gone");
  CHECK(answer.starts_with("HTTP/1.1 410 "));
  CHECK(answer.find("Content-Security-Policy: default-src 'self'\r\n") != std::string::npos);
  CHECK(answer.find("default-src 'none'") == std::string::npos);
}

TEST_CASE("answers to browsers do not use brotli") {
  const RunningServer running(addPath);
  const std::string answer =
      running.ask("GET /x HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip, br\r\nConnection: close\r\n\r\n");
  CHECK(answer.find("Content-Encoding") == std::string::npos);
  CHECK(answer.find("Content-Length: 8\r\n") != std::string::npos);
  CHECK(answer.ends_with("\r\n\r\naccepts "));
}

TEST_CASE("ranges are ignored, however many") {
  const RunningServer running(addPath);
  std::string ranges = "rAnge: bytes=0-0";
  for (int i = 0; i < 1900; ++i) {
    ranges += ",0-";
  }
  const std::string answer = running.ask("GET /x HTTP/1.1\r\nHost: h\r\n" + ranges + "\r\nAccept: a/b\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 200 "));
  CHECK(answer.ends_with("\r\n\r\naccepts a/b"));
  CHECK(running.ask("GET /x HTTP/1.1\r\nHost: h\r\nRange: bytes=9-1\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

TEST_CASE("a refused request gets the reason") {
  const RunningServer named(addPath, {.only_loopback_names = true});
  CHECK(named.get("/x").starts_with("HTTP/1.1 403 "));
  CHECK(named.ask("GET /x HTTP/1.1\r\nHost: localhost:1\r\n\r\n").starts_with("HTTP/1.1 200 "));
  const RunningServer secret(addPath, {.token = "0123456789abcdef"});
  const std::string refused = secret.get("/x");
  CHECK(refused.starts_with("HTTP/1.1 401 "));
  CHECK(refused.find("WWW-Authenticate: Bearer\r\n") != std::string::npos);
  CHECK(refused.find("accepts") == std::string::npos);
  const std::string answer = secret.ask("GET /x HTTP/1.1\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 200 "));
}

TEST_CASE("other methods and paths are rejected") {
  const RunningServer running(addPath);
  CHECK(running.get("/../etc/passwd").starts_with("HTTP/1.1 404 "));
  CHECK(running.ask("POST /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").find(" 200 ") == std::string::npos);
  CHECK(running.ask("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_CASE("a server keeps the disposition of SIGPIPE") {
  const auto disposition = [] {
    struct sigaction now {};
    sigaction(SIGPIPE, nullptr, &now);
    return now.sa_handler;
  };
  const auto before = disposition();
  { const RunningServer running(addPath); }
  CHECK((disposition() == before));
}

TEST_CASE("listening on a used port or a foreign address fails with the reason") {
  const RunningServer running(addPath);
  HttpServer second;
  const Result<HostPort> taken = second.bind(running.address());
  REQUIRE_FALSE(taken);
  CHECK(taken.error() == "cannot listen on " + running.address().text() + ": Address already in use");
  HttpServer third;
  CHECK_FALSE(third.bind({"192.0.2.1", 9464}));
}

} // namespace

} // namespace commtap
