// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "report/base/result.h"

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

} // namespace commtap
