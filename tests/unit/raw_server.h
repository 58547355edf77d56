// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "tools/cli/host_port.h"

namespace commtap {

/// A server that answers each request with any bytes at all. It has a thread, and one client at a time.
class RawServer {
 public:
  /// Receives the head of the request, and a function that sends bytes; it returns false once the client has left.
  using Send = std::function<bool(std::string_view bytes)>;
  using Answer = std::function<void(const std::string& request, const Send& send)>;

  explicit RawServer(Answer answer);
  /// Answers with `bytes`, then with `again` without end unless it is "".
  explicit RawServer(std::string bytes, std::string again = "");
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer();

  HostPort address() const {
    return {"127.0.0.1", port_};
  }
  std::string url() const {
    return "http://" + address().text() + "/";
  }

 private:
  void run() const;

  Answer answer_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::thread thread_;
};

} // namespace commtap
