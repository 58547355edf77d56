// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/base/result.h"

namespace commtap {

/// Returns whether `host` is "localhost" or a numeric loopback address: 127.0.0.0/8 or ::1.
bool isLoopbackName(std::string_view host);

/// The address at which a server listens, or is asked.
struct HostPort {
  std::string host; ///< a name or a numeric address, without brackets
  uint16_t port = 0;

  /// Returns whether only this machine can reach the address.
  bool isLoopback() const;
  /// Returns the address as in a URL: "127.0.0.1:9464", "[::1]:9464".
  std::string text() const;

  bool operator==(const HostPort&) const = default;
};

/// Parses "HOST:PORT" or "[IPV6]:PORT"; port 0 is any free port.
Result<HostPort> parseHostPort(std::string_view text);

/// Returns the bearer token in the first line of a file.
Result<std::string> readTokenFile(const std::string& path);

} // namespace commtap
