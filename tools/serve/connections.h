// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

} // namespace commtap
