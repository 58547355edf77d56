// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <thread>

#include "tools/serve/http_server.h"

namespace commtap {

/// An HTTP server on a free port, with the given paths. It answers until it is destroyed.
class RunningServer {
 public:
  template <typename AddPaths>
  explicit RunningServer(AddPaths add_paths, const HttpAccess& access = {}) : server_(access) {
    add_paths(server_);
    start();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  ~RunningServer();

  const HostPort& address() const {
    return address_;
  }
  /// Sends the request unchanged and returns the complete answer.
  std::string ask(const std::string& request) const;
  /// Returns the answer to a GET request.
  std::string get(const std::string& path) const;

 private:
  void start();

  HttpServer server_;
  HostPort address_;
  std::thread thread_;
};

} // namespace commtap
