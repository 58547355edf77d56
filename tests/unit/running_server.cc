// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/running_server.h"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace commtap {

void RunningServer::start() {
  const Result<HostPort> bound = server_.bind({"127.0.0.1", 0});
  REQUIRE(bound);
  address_ = *bound;
  thread_ = std::thread([this] { server_.run(); });
}

RunningServer::~RunningServer() {
  server_.stop();
  thread_.join();
}

std::string RunningServer::ask(const std::string& request) const {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(address_.port);
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

std::string RunningServer::get(const std::string& path) const {
  return ask("GET " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
}

} // namespace commtap
