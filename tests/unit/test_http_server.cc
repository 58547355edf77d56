// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http_server.h"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace commtap {
namespace {

/// A server with one path on a port of its own, answering until the end of the test.
class RunningServer {
 public:
  RunningServer() {
    server.get("/x", [](const std::string& accept) { return HttpAnswer{"text/plain", "accepts " + accept}; });
    const Result<ListenAddress> bound = server.bind({"127.0.0.1", 0});
    REQUIRE(bound);
    address = *bound;
    thread_ = std::thread([this] { server.run(); });
  }
  ~RunningServer() {
    server.stop();
    thread_.join();
  }

  /// A whole answer to a request that is sent as it is.
  std::string ask(const std::string& request) const {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0);
    REQUIRE(write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size()));
    std::string answer;
    char buffer[4096];
    for (ssize_t size = 0; (size = read(fd, buffer, sizeof(buffer))) > 0;) {
      answer.append(buffer, static_cast<size_t>(size));
    }
    close(fd);
    return answer;
  }

  HttpServer server;
  ListenAddress address;

 private:
  std::thread thread_;
};

TEST_CASE("a GET of a known path is answered, with headers that keep a browser from running anything") {
  const RunningServer running;
  const std::string answer = running.ask("GET /x HTTP/1.1\r\nHost: h\r\nAccept: a/b\r\nConnection: close\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 200 "));
  CHECK(answer.ends_with("\r\n\r\naccepts a/b"));
  CHECK(answer.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
  CHECK(answer.find("Content-Security-Policy: default-src 'none'") != std::string::npos);
}

TEST_CASE("all else is refused") {
  const RunningServer running;
  const std::string end = " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  CHECK(running.ask("GET /../etc/passwd" + end).starts_with("HTTP/1.1 404 "));
  CHECK(running.ask("POST /x" + end).find(" 200 ") == std::string::npos);
  CHECK(running.ask("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST_CASE("a server leaves SIGPIPE as it was") {
  const auto disposition = [] {
    struct sigaction now {};
    sigaction(SIGPIPE, nullptr, &now);
    return now.sa_handler;
  };
  const auto before = disposition();
  { const RunningServer running; }
  CHECK((disposition() == before));
}

TEST_CASE("a port that is taken and an address that is not here are told") {
  const RunningServer running;
  HttpServer second;
  const Result<ListenAddress> taken = second.bind(running.address);
  REQUIRE_FALSE(taken);
  CHECK(taken.error() == "cannot listen on " + running.address.text() + ": Address already in use");
  HttpServer third;
  CHECK_FALSE(third.bind({"192.0.2.1", 9464}));
}

} // namespace
} // namespace commtap
