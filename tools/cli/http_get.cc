// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/http_get.h"

#include <httplib.h>

#include <fmt/format.h>

namespace commtap {
namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;

/// Takes the body in pieces until a limit is reached.
class Body {
 public:
  explicit Body(const GetLimits& limits) : limits_(limits), until_(Clock::now() + limits.answer) {}

  bool add(const char* bytes, size_t size) {
    is_late_ = Clock::now() > until_;
    is_long_ = text_.size() + size > limits_.bytes;
    if (is_late_ || is_long_) {
      return false;
    }
    text_.append(bytes, size);
    return true;
  }

  /// Returns the limit that ended the answer; "" if none did.
  std::string problem() const {
    return is_long_   ? fmt::format("the answer is longer than {} MiB", limits_.bytes >> 20U)
           : is_late_ ? fmt::format("the answer takes longer than {:.0f} s", seconds())
                      : "";
  }
  double seconds() const {
    return std::chrono::duration<double>(limits_.answer).count();
  }
  std::string take() {
    return std::move(text_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  GetLimits limits_;
  Clock::time_point until_;
  std::string text_;
  bool is_late_ = false;
  bool is_long_ = false;
};

std::string statusProblem(int status, bool has_token) {
  if (status == kUnauthorized) {
    return has_token ? "it refuses the token" : "it asks for a token: add --token-file";
  }
  return fmt::format("it answers with status {}", status);
}

std::string errorText(httplib::Error error, const Body& body) {
  if (!body.problem().empty()) {
    return body.problem();
  }
  switch (error) {
    case httplib::Error::Connection:
      return "no connection";
    case httplib::Error::Read:
      return fmt::format("no complete answer within {:.0f} s", body.seconds());
    default:
      return "no answer: " + httplib::to_string(error);
  }
}

} // namespace

Result<std::string> getPage(const GetTarget& target, const GetLimits& limits) {
  httplib::Client client(target.host, target.port);
  client.set_connection_timeout(limits.connect);
  client.set_read_timeout(limits.answer);
  httplib::Headers headers;
  if (!target.token.empty()) {
    headers.emplace("Authorization", "Bearer " + target.token);
  }
  Body body(limits);
  const httplib::Result answer =
      client.Get(target.path, headers, [&body](const char* bytes, size_t size) { return body.add(bytes, size); });
  if (!answer) {
    return Result<std::string>::failure(errorText(answer.error(), body));
  }
  if (answer->status != kOk) {
    return Result<std::string>::failure(statusProblem(answer->status, !target.token.empty()));
  }
  return body.take();
}

} // namespace commtap
