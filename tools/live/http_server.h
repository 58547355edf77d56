// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tools/live/listen_address.h"

namespace commtap {

struct HttpRequest {
  std::string accept;                            ///< the header
  std::map<std::string, std::string> parameters; ///< what follows the path, decoded; of several with a name, one
};

struct HttpAnswer {
  std::string content_type;
  std::string body;
  int status = 200;
  std::string policy{}; ///< the header Content-Security-Policy; "" for one that allows nothing but styles
};

/// Makes the answer to a GET. Called from several threads at once.
using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;

/// A small HTTP server: a few fixed paths, GET and HEAD alone, nothing of a request is kept.
class HttpServer {
 public:
  HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// `path` is a regular expression for the whole path.
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
