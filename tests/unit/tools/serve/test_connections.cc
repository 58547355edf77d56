// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_server.h"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace commtap {
namespace {

using namespace std::chrono_literals;

/// A connection's two ends. Closes the client's.
class Pair {
 public:
  Pair() {
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    close(ends_[0]);
  }

  int server() const {
    return ends_[1];
  }
  void send(std::string_view bytes) const {
    REQUIRE(write(ends_[0], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  /// Returns what the server sent until it closed the connection.
  std::string answer() const {
    std::string text;
    char buffer[256];
    for (ssize_t size = 0; (size = ::read(ends_[0], buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<size_t>(size));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

void echo(Connection& connection) {
  connection.send(connection.readHead().value_or("none"));
}

TEST_CASE("a head is read up to its empty line, in any number of parts") {
  Connections connections({});
  const Pair client;
  connections.start(client.server(), echo);
  for (const char* part : {"GET / HTTP/1.1\r", "\nHost: h\r\n", "\r", "\nbody"}) {
    client.send(part);
    usleep(1000);
  }
  CHECK(client.answer() == "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  connections.endAll();
}

TEST_CASE("a head that is late, too long or cut off is not answered") {
  Connections connections({.request = 100ms});
  const Pair slow;
  const Pair endless;
  const auto before = std::chrono::steady_clock::now();
  connections.start(slow.server(), echo);
  slow.send("GET / HTTP/1.1\r\n");
  CHECK(slow.answer() == "none");
  CHECK(std::chrono::steady_clock::now() - before >= 100ms);
  connections.start(endless.server(), echo);
  endless.send(std::string(16384, 'x'));
  CHECK(endless.answer() == "none");
  connections.endAll();
}

TEST_CASE("a client that does not read its answer loses it at the deadline") {
  Connections connections({.answer = 100ms});
  const Pair client;
  std::atomic<int> sent = -1;
  connections.start(
      client.server(), [&sent](Connection& connection) { sent = connection.send(std::string(16 << 20, 'x')) ? 1 : 0; });
  while (sent == -1) {
    usleep(1000);
  }
  CHECK(sent == 0);
  connections.endAll();
}

TEST_CASE("at the limit the oldest idle connection makes way") {
  Connections connections({.connections = 2});
  const Pair first;
  const Pair second;
  const Pair third;
  connections.start(first.server(), echo);
  connections.start(second.server(), echo);
  connections.start(third.server(), echo);
  CHECK(first.answer().empty());
  for (const Pair* client : {&second, &third}) {
    client->send("x\r\n\r\n");
    CHECK(client->answer() == "x\r\n\r\n");
  }
  connections.endAll();
}

TEST_CASE("the end of a server ends its connections") {
  Connections connections({.connections = 8});
  std::vector<Pair> idle(8);
  for (const Pair& client : idle) {
    connections.start(client.server(), echo);
  }
  const auto before = std::chrono::steady_clock::now();
  connections.endAll();
  CHECK(std::chrono::steady_clock::now() - before < 2s);
}

} // namespace
} // namespace commtap
