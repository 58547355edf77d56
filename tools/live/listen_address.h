// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/base/result.h"

namespace commtap {

/// Where a server listens.
struct ListenAddress {
  std::string host; ///< a name or a numeric address, without brackets
  uint16_t port = 0;

  /// Whether only this machine can reach it.
  bool isLoopback() const;
  /// As in a URL: "127.0.0.1:9464", "[::1]:9464".
  std::string text() const;
};

/// "HOST:PORT", "[IPV6]:PORT"; port 0 is any free one.
Result<ListenAddress> parseListenAddress(std::string_view text);

} // namespace commtap
