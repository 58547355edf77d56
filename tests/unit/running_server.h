// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <thread>

#include "tools/live/http_server.h"

namespace commtap {

/// A server with the paths that it is given, on a port of its own, answering until the end of the test.
class RunningServer {
 public:
  template <typename AddPaths>
  explicit RunningServer(AddPaths add_paths) {
    add_paths(server_);
    start();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer();

  const ListenAddress& address() const {
    return address_;
  }
  /// A whole answer to a request that is sent as it is.
  std::string ask(const std::string& request) const;
  /// The answer to a GET.
  std::string get(const std::string& path) const;

 private:
  void start();

  HttpServer server_;
  ListenAddress address_;
  std::thread thread_;
};

} // namespace commtap
