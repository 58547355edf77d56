// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/raw_server.h"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace commtap {
namespace {

std::string readHead(int socket) {
  std::string head;
  char buffer[4096];
  while (head.find("\r\n\r\n") == std::string::npos) {
    const ssize_t size = recv(socket, buffer, sizeof(buffer), 0);
    if (size <= 0) {
      break;
    }
    head.append(buffer, static_cast<size_t>(size));
  }
  return head;
}

bool sendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(size));
  }
  return true;
}

} // namespace

RawServer::RawServer(Answer answer) : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(place);
  REQUIRE(bind(listener_, reinterpret_cast<const sockaddr*>(&place), size) == 0);
  REQUIRE(getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size) == 0);
  REQUIRE(listen(listener_, 16) == 0);
  port_ = ntohs(place.sin_port);
  thread_ = std::thread([this] { run(); });
}

RawServer::RawServer(std::string bytes, std::string again)
    : RawServer([bytes = std::move(bytes), again = std::move(again)](const std::string& /*request*/, const Send& send) {
        bool goes_on = send(bytes) && !again.empty();
        while (goes_on) {
          goes_on = send(again);
        }
      }) {}

RawServer::~RawServer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

void RawServer::run() const {
  for (int client = 0; (client = accept(listener_, nullptr, nullptr)) >= 0; close(client)) {
    answer_(readHead(client), [client](std::string_view bytes) { return sendAll(client, bytes); });
  }
}

} // namespace commtap
