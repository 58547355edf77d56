// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_get.h"

#include <utility>

#include <fmt/format.h>

namespace commtap {
namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;

std::string problemOf(const HttpReply& reply, const GetTarget& target) {
  if (reply.status == kUnauthorized) {
    return target.token.empty() ? "it asks for a token: add --token-file" : "it refuses the token";
  }
  return reply.status != 0 && reply.status != kOk ? fmt::format("it answers with status {}", reply.status)
                                                  : reply.problem;
}

} // namespace

Result<std::string> getPage(const GetTarget& target, const HttpLimits& limits) {
  std::string body;
  const std::string problem = readPage(target, limits, [&body](std::string_view piece) {
    body += piece;
    return std::string();
  });
  return problem.empty() ? Result<std::string>(std::move(body)) : Result<std::string>::failure(problem);
}

std::string readPage(const GetTarget& target, const HttpLimits& limits, const BodySink& sink) {
  return problemOf(askServer({target.server, target.path, target.token, std::nullopt}, limits, sink), target);
}

} // namespace commtap
