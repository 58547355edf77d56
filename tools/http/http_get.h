// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "tools/http/http_client.h"

namespace commtap {

/// The address of a page: http://HOST:PORT/PATH.
struct GetTarget {
  HostPort server;
  std::string path;
  std::string token; ///< sent as bearer token; "" for none
};

/// Returns the body of the answer. Fails, with the reason and without the address, if the status is not 200 or a limit
/// is reached.
Result<std::string> getPage(const GetTarget& target, const HttpLimits& limits);

/// Passes the body of the answer to `sink`, piece by piece. Returns "", or the reason, as getPage() does.
std::string readPage(const GetTarget& target, const HttpLimits& limits, const BodySink& sink);

} // namespace commtap
