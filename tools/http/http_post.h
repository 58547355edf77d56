// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/http/http_client.h"

namespace commtap {

/// Sends `json` to a URL that parseUrl() accepts.
HttpReply postJson(const std::string& url, const std::string& json, const HttpLimits& limits);

/// Returns whether the server took the request.
bool isTaken(const HttpReply& reply);

/// Returns "answered with status 404" for a server that did not take the request; says what to do about a redirection.
std::string statusText(const HttpReply& reply);

} // namespace commtap
