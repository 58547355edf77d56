// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_post.h"

#include <fmt/format.h>

#include "tools/http/http_url.h"

namespace commtap {
namespace {

constexpr int kSuccess = 2; ///< the first digit of a status
constexpr int kRedirection = 3;

int firstDigitOf(const HttpReply& reply) {
  constexpr int kHundred = 100;
  return reply.status / kHundred;
}

} // namespace

HttpReply postJson(const std::string& url, const std::string& json, const HttpLimits& limits) {
  const Result<HttpUrl> place = parseUrl(url);
  return place ? askServer({place->server, place->path, "", json}, limits) : HttpReply{0, "", place.error()};
}

bool isTaken(const HttpReply& reply) {
  return firstDigitOf(reply) == kSuccess;
}

std::string statusText(const HttpReply& reply) {
  const char* advice = firstDigitOf(reply) == kRedirection ? ", a redirection: give the address it leads to" : "";
  return fmt::format("answered with status {}{}", reply.status, advice);
}

} // namespace commtap
