// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tools/listen_address.h"

namespace commtap {

struct HttpAnswer {
  std::string content_type;
  std::string body;
};

/// Makes the answer to a GET; `accept` is the request's Accept header. Called from several threads at once.
using HttpHandler = std::function<HttpAnswer(const std::string& accept)>;

/// A small HTTP server: a few fixed paths, GET and HEAD alone, nothing of a request is kept.
class HttpServer {
 public:
  HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  void get(const std::string& path, HttpHandler handler);

  /// The address with the port that it has got, or one line that says why not.
  Result<ListenAddress> bind(const ListenAddress& address);

  /// After bind(): answers until stop() is called from another thread.
  void run();
  /// Ends run(), also one that is only about to begin.
  void stop();

 private:
  struct Library; ///< the HTTP library stays in the .cc: its header is a large one
  std::unique_ptr<Library> library_;
};

} // namespace commtap
