// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/file_descriptor.h"
#include "report/base/result.h"
#include "tools/cli/host_port.h"

namespace commtap {

/// One address of a host, as connect() takes it.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

using NameLookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

/// Returns the addresses that the name system has for `name`, or its reason why it has none. Gives up at `until`:
/// getaddrinfo() has no limit of time, so it runs in a thread of its own, which outlives the call if it must.
Result<std::vector<SocketAddress>> addressesOf(
    const std::string& name,
    uint16_t port,
    std::chrono::steady_clock::time_point until,
    NameLookup lookup = getaddrinfo);

/// Why an exchange with a server ended before its time. Does not leave askServer().
struct HttpProblem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A connection to a server, with one deadline for all bytes sent and received, and a bound on what is received.
/// A server that sends slowly, without end or not at all is left at the deadline. Every function throws HttpProblem.
class HttpStream {
 public:
  using Clock = std::chrono::steady_clock;

  /// Looks the name up and connects until `connected`. The rest has until `until`; later is the problem `late`.
  HttpStream(const HostPort& server, Clock::time_point connected, Clock::time_point until, std::string late);

  /// Sends all bytes. Returns early if the server closes the connection: it may have answered before it read all.
  void send(std::string_view bytes);
  /// Lets the next lines and pieces have `bytes` bytes together; more are the problem `beyond`.
  void allow(uint64_t bytes, std::string beyond);
  /// Returns the next line without its end.
  std::string line();
  /// Returns the next bytes, at most `most`, which is not 0; none at the end of the stream. Valid until the next call.
  std::string_view piece(uint64_t most);

 private:
  void waitFor(short events) const;
  /// Receives if no byte is left. Returns whether there is one.
  bool fill();
  std::string_view take(size_t size);

  FileDescriptor socket_;
  Clock::time_point until_;
  std::string late_;
  uint64_t allowed_ = 0;
  std::string beyond_;
  std::array<char, 16384> buffer_{};
  std::string_view received_; ///< of `buffer_`, not taken
};

} // namespace commtap
