// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

/// A request: a POST if it has JSON, else a GET.
struct HttpQuestion {
  HostPort server;
  std::string path;                ///< with the parameters
  std::string token;               ///< sent as bearer token; "" for none
  std::optional<std::string> json; ///< sent as the body
};

struct HttpLimits {
  std::chrono::milliseconds connect{2000}; ///< to look the name up and to connect
  std::chrono::milliseconds answer{5000};  ///< from the look-up of the name to the last byte
  uint64_t bytes = uint64_t{64} << 20U;    ///< of the body and its framing; 0: the body is not read
};

struct HttpReply {
  int status = 0;      ///< HTTP's; 0: there was no answer
  std::string body;    ///< of a success, as far as it was read, unless it went to a BodySink
  std::string problem; ///< "" if the answer is complete
};

/// Takes a piece of the body of a success. Returns "", or why it wants no more.
using BodySink = std::function<std::string(std::string_view piece)>;

/// Asks a server by HTTP/1.1, and reads its answer within the limits: a hostile server costs no more time and memory
/// than they allow. Follows no redirection. All of commtap's requests are made here. Has no TLS.
HttpReply askServer(const HttpQuestion& question, const HttpLimits& limits, const BodySink& sink = {});

/// The address of a page: http://HOST:PORT/PATH.
struct GetTarget {
  HostPort server;
  std::string path;
  std::string token; ///< sent as bearer token; "" for none
};

/// Passes the body of the answer to `sink`, piece by piece. Returns "", or the reason, without the address, if the
/// status is not 200 or a limit is reached.
std::string readPage(const GetTarget& target, const HttpLimits& limits, const BodySink& sink);

/// Sends `json` to a URL that parseUrl() accepts.
HttpReply postJson(const std::string& url, const std::string& json, const HttpLimits& limits);

/// Returns whether the server took the request.
bool isTaken(const HttpReply& reply);

/// Returns "answered with status 404" for a server that did not take the request; says what to do about a redirection.
std::string statusText(const HttpReply& reply);

} // namespace commtap
