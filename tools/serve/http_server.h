// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/cli/host_port.h"

namespace commtap {

struct ConnectionLimits {
  size_t connections = 32;                 ///< open at one time
  std::chrono::milliseconds request{5000}; ///< for the client to send the whole head of its request
  std::chrono::milliseconds answer{30000}; ///< for the client to read the whole answer
};

/// One client's connection. One thread reads and writes; other threads may call isReading().
class Connection {
 public:
  Connection(int socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}

  int socket() const {
    return socket_;
  }
  /// Returns whether the request is not complete.
  bool isReading() const {
    return reading_;
  }
  /// Returns the request line and the headers, with the empty line that ends them. Returns nullopt if they are too
  /// long, too late or not complete.
  std::optional<std::string> readHead();
  /// Sends all bytes. Returns false if the client does not read them in time.
  bool send(std::string_view bytes);

 private:
  using Clock = std::chrono::steady_clock;

  int socket_;
  ConnectionLimits limits_;
  std::atomic<bool> reading_ = true;
  std::optional<Clock::time_point> answer_until_;
};

/// Runs each connection of a server in a thread of its own, and bounds their number.
class Connections {
 public:
  using Answer = std::function<void(Connection& connection)>;

  explicit Connections(const ConnectionLimits& limits);

  /// Takes over `socket`: a new thread passes it to `answer`, then closes it. At the limit, first ends the oldest
  /// connection, preferably one whose request is not complete. Thus idle clients never keep others out.
  void start(int socket, Answer answer);
  /// Ends all connections. Returns once no `answer` runs. No other thread may call start() then.
  void endAll();

 private:
  struct Open;
  std::shared_ptr<Open> open_; ///< shared with the threads
};

/// The clients that a server answers.
struct HttpAccess {
  /// Refuses names other than this machine's own in the header Host. A web page that has its own name resolve to
  /// 127.0.0.1 (DNS rebinding) could otherwise read the answers in the user's browser.
  bool only_loopback_names = false;
  std::string token{}; ///< refuses requests without "Authorization: Bearer TOKEN"; "" for no token

  /// Returns the status for a request with these two headers: 200 if it may be answered.
  int statusFor(const std::string& host, const std::string& authorization) const;
};

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
