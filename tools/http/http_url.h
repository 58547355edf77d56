// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "tools/cli/host_port.h"

namespace commtap {

/// An address that commtap posts to.
struct HttpUrl {
  HostPort server;
  std::string path; ///< with the parameters
};

/// Parses http://HOST[:PORT][/PATH]. An error says what was expected.
Result<HttpUrl> parseUrl(const std::string& url);

} // namespace commtap
