// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/otlp_push.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/base/json_text.h"

namespace commtap {
namespace {

constexpr uint64_t kMaxAnswer = uint64_t{1} << 20U; ///< bytes
constexpr std::chrono::seconds kLimit(10);
constexpr std::chrono::seconds kLimitAtEnd(1);

HttpLimits limitsOf(std::chrono::seconds limit) {
  return {.connect = limit, .answer = limit, .bytes = kMaxAnswer};
}

/// OTLP's rule ("Failures"): only these may be sent again.
bool mayBeRetried(const HttpReply& reply) {
  constexpr std::array<int, 5> kTransient = {0, 429, 502, 503, 504};
  return std::find(kTransient.begin(), kTransient.end(), reply.status) != kTransient.end();
}

/// Returns what a collector that answers with success says it has not taken; "" if it took all.
std::string rejectedBy(const std::string& text) {
  if (nestsTooDeeply(text)) {
    return "the answer is not OTLP's JSON";
  }
  const nlohmann::json body = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json partial = body.is_object() ? body.value("partialSuccess", nlohmann::json::object()) : body;
  if (!partial.is_object() || !partial.contains("rejectedDataPoints")) {
    return "";
  }
  const nlohmann::json& count = partial["rejectedDataPoints"]; // a text in protobuf's JSON; some write a number
  const std::string rejected = count.is_string() ? count.get<std::string>() : count.dump();
  const nlohmann::json reason = partial.value("errorMessage", nlohmann::json(""));
  return rejected == "0" ? "" : fmt::format("{} data points rejected: {}", rejected, reason.dump());
}

std::string problemOf(const HttpReply& reply) {
  if (reply.status != 0 && !isTaken(reply)) {
    return statusText(reply);
  }
  return reply.problem.empty() ? rejectedBy(reply.body) : reply.problem;
}

} // namespace

std::string otlpMetricsUrl(const std::string& collector) {
  const size_t path = collector.find('/', collector.find("://") + 3);
  const bool has_path = path != std::string::npos && path + 1 < collector.size();
  return has_path ? collector : collector.substr(0, path) + "/v1/metrics";
}

OtlpPush::OtlpPush(OtlpTarget target, Collect collect, Say say)
    : target_(std::move(target)), collect_(std::move(collect)), say_(std::move(say)), thread_([this] { run(); }) {}

OtlpPush::~OtlpPush() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void OtlpPush::run() {
  auto next = Clock::now();
  bool goes_on = true;
  while (goes_on) {
    next += target_.interval;
    pushUntil(next);
    goes_on = waitUntil(next);
  }
  pushUntil(Clock::now());
}

void OtlpPush::pushUntil(Clock::time_point deadline) {
  for (const std::string& body : collect_()) {
    if (!deliver(body, deadline)) {
      return; // the next interval sends newer sums
    }
  }
}

bool OtlpPush::deliver(const std::string& body, Clock::time_point deadline) {
  constexpr std::chrono::seconds kLongestPause(30);
  const bool is_last = deadline <= Clock::now();
  for (std::chrono::milliseconds pause(500);; pause = std::min<std::chrono::milliseconds>(2 * pause, kLongestPause)) {
    const HttpReply reply = postJson(target_.url, body, limitsOf(is_last ? kLimitAtEnd : kLimit));
    note(reply);
    if (!mayBeRetried(reply)) {
      return true;
    }
    const auto again = Clock::now() + pause;
    if (again >= deadline || !waitUntil(again)) {
      return false;
    }
  }
}

bool OtlpPush::waitUntil(Clock::time_point time) {
  std::unique_lock lock(mutex_);
  return !ends_.wait_until(lock, time, [this] { return is_ending_; });
}

void OtlpPush::note(const HttpReply& reply) {
  const std::string problem = problemOf(reply);
  if (!problem.empty() && !has_failed_) {
    say_(fmt::format("{}: {}", target_.url, problem));
  } else if (problem.empty() && has_failed_) {
    say_(target_.url + ": takes metrics again");
  }
  has_failed_ = !problem.empty();
}

} // namespace commtap
