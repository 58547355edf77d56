// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tools/cli/host_port.h"
#include "tools/serve/connections.h"
#include "tools/serve/http_access.h"

namespace commtap {

struct HttpRequest {
  std::string accept;                            ///< the header Accept
  std::map<std::string, std::string> parameters; ///< decoded query parameters; one value per name
};

struct HttpAnswer {
  std::string content_type;
  std::string body;
  int status = 200;
  std::string policy{}; ///< the header Content-Security-Policy; "" for a policy that allows only styles
};

/// Returns the answer to a GET. Several threads call it at once.
using HttpHandler = std::function<HttpAnswer(const HttpRequest& request)>;

/// An HTTP server for a few fixed paths. Accepts only GET and HEAD, keeps no data of a request, and answers one request
/// per connection, always as a whole: it ignores ranges.
class HttpServer {
 public:
  explicit HttpServer(const HttpAccess& access = {}, const ConnectionLimits& limits = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// Registers `handler` for `path`, a regular expression that must match the whole path.
  void get(const std::string& path, HttpHandler handler);

  /// Binds the address. Returns it with the actual port, or one line with the error.
  Result<HostPort> bind(const HostPort& address);

  /// Answers requests until another thread calls stop(). Call after bind().
  void run();
  /// Ends run(), even if run() has not started to listen.
  void stop();

 private:
  struct Library; ///< keeps the large header of cpp-httplib out of this one
  std::unique_ptr<Library> library_;
};

} // namespace commtap
