// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "report/base/result.h"

namespace commtap {

/// Where a page is: http://HOST:PORT/PATH.
struct GetTarget {
  std::string host; ///< a name or an address; an IPv6 address without brackets
  uint16_t port = 0;
  std::string path;
  std::string token; ///< sent as bearer token; "" for none
};

struct GetLimits {
  std::chrono::milliseconds connect{2000};
  std::chrono::milliseconds answer{5000}; ///< from the request to the last byte
  uint64_t bytes = uint64_t{64} << 20U;   ///< of the answer
};

/// Returns the body of the answer. Fails, with the reason and without the address, if the status is not 200 or a limit
/// is reached. Follows no redirection: the token is for this host.
Result<std::string> getPage(const GetTarget& target, const GetLimits& limits);

} // namespace commtap
