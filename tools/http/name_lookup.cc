// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/name_lookup.h"

#include <algorithm>
#include <atomic>
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

} // namespace commtap
