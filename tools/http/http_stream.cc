// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace commtap {
namespace {

using Addresses = std::vector<SocketAddress>;

constexpr size_t kMostAddresses = 65'536; ///< a node list's bound too
constexpr int kMostWaiting = 256;

std::atomic<int> waiting = 0; ///< threads in a look-up

addrinfo streamsOnly() {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  return wanted;
}

Addresses copied(const addrinfo* found) {
  Addresses addresses;
  for (; found != nullptr && addresses.size() < kMostAddresses; found = found->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    address.size = std::min<socklen_t>(found->ai_addrlen, sizeof(address.bytes));
    std::memcpy(&address.bytes, found->ai_addr, address.size);
  }
  return addresses;
}

Result<Addresses> lookUp(const std::string& name, uint16_t port, const addrinfo& wanted, NameLookup lookup) {
  addrinfo* found = nullptr;
  if (const int error = lookup(name.c_str(), std::to_string(port).c_str(), &wanted, &found); error != 0) {
    return Result<Addresses>::failure(gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  return copied(found);
}

/// Returns the address that `text` is; nullopt for a name. Asks no server.
std::optional<Addresses> numericAddress(const std::string& text, uint16_t port) {
  addrinfo wanted = streamsOnly();
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  Result<Addresses> found = lookUp(text, port, wanted, getaddrinfo);
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

} // namespace

Result<Addresses>
addressesOf(const std::string& name, uint16_t port, std::chrono::steady_clock::time_point until, NameLookup lookup) {
  if (std::optional<Addresses> numeric = numericAddress(name, port)) {
    return std::move(*numeric);
  }
  if (waiting >= kMostWaiting) {
    return Result<Addresses>::failure("the name system does not answer");
  }
  std::packaged_task<Result<Addresses>()> task([name, port, lookup] {
    ++waiting;
    Result<Addresses> addresses = lookUp(name, port, streamsOnly(), lookup);
    --waiting;
    return addresses;
  });
  std::future<Result<Addresses>> found = task.get_future();
  try {
    std::thread(std::move(task)).detach();
  } catch (const std::system_error& error) { // the user's limit of threads is reached
    return Result<Addresses>::failure(error.what());
  }
  return found.wait_until(until) == std::future_status::ready
             ? found.get()
             : Result<Addresses>::failure("the name system does not answer in time");
}

namespace {

using Clock = HttpStream::Clock;

/// Returns whether one of `events` came before `until`.
bool isReady(int socket, short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd wanted{socket, events, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&wanted, 1, static_cast<int>(left.count()));
    if (ready >= 0 || errno != EINTR) {
      return ready > 0;
    }
  }
}

/// Returns 0 or an errno.
int connectTo(int socket, const SocketAddress& address, Clock::time_point until) {
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0) {
    return 0;
  }
  if (errno != EINPROGRESS && errno != EINTR) {
    return errno;
  }
  int error = ETIMEDOUT;
  socklen_t size = sizeof(error);
  if (isReady(socket, POLLOUT, until)) {
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  return error;
}

int connectedSocket(const HostPort& server, Clock::time_point until) {
  const Result<std::vector<SocketAddress>> addresses = addressesOf(server.host, server.port, until);
  if (!addresses) {
    throw HttpProblem("no connection: " + addresses.error());
  }
  int error = 0;
  for (const SocketAddress& address : *addresses) {
    const int fd = socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    error = fd < 0 ? errno : connectTo(fd, address, until);
    if (error == 0) {
      return fd;
    }
    if (fd >= 0) {
      close(fd);
    }
  }
  throw HttpProblem(std::string("no connection") + (error == 0 ? "" : std::string(": ") + std::strerror(error)));
}

} // namespace

HttpStream::HttpStream(const HostPort& server, Clock::time_point connected, Clock::time_point until, std::string late)
    : socket_(connectedSocket(server, std::min(connected, until))), until_(until), late_(std::move(late)) {}

void HttpStream::waitFor(short events) const {
  if (!isReady(socket_.get(), events, until_)) {
    throw HttpProblem(late_);
  }
}

void HttpStream::send(std::string_view bytes) {
  while (!bytes.empty()) {
    waitFor(POLLOUT);
    const ssize_t size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  }
}

void HttpStream::allow(uint64_t bytes, std::string beyond) {
  allowed_ = bytes;
  beyond_ = std::move(beyond);
}

bool HttpStream::fill() {
  while (received_.empty()) {
    waitFor(POLLIN);
    const ssize_t size = recv(socket_.get(), buffer_.data(), buffer_.size(), 0);
    if (size == 0) {
      return false;
    }
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
      throw HttpProblem(std::string("no complete answer: ") + std::strerror(errno));
    }
    received_ = {buffer_.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))};
  }
  return true;
}

std::string_view HttpStream::take(size_t size) {
  if (size > allowed_) {
    throw HttpProblem(beyond_);
  }
  allowed_ -= size;
  const std::string_view taken = received_.substr(0, size);
  received_.remove_prefix(size);
  return taken;
}

std::string HttpStream::line() {
  std::string line;
  while (!line.ends_with('\n')) {
    if (!fill()) {
      throw HttpProblem(line.empty() ? "no answer" : "the answer ends early");
    }
    line += take(std::min(received_.find('\n'), received_.size() - 1) + 1);
  }
  line.pop_back();
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  return line;
}

std::string_view HttpStream::piece(uint64_t most) {
  return fill() ? take(std::min<uint64_t>(most, received_.size())) : std::string_view();
}

} // namespace commtap
