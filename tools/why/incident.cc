// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/incident.h"

#include <httplib.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "tools/why/shell_command.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

constexpr time_t kTimeoutSeconds = 10;

/// Returns what makes a hang the same one in the next look.
std::string keyOf(const Verdict& verdict) {
  std::string key = fmt::format(
      "{} {} {} {}", verdict.run_id, verdict.attempt, hangReasonName(verdict.reason), rangesText(verdict.cause));
  if (verdict.call) {
    key += fmt::format(" {} {}", verdict.call->group, verdict.call->sequence);
  }
  return key;
}

/// Returns the scheme, host and port of a URL, and its path.
std::pair<std::string, std::string> partsOf(const std::string& url) {
  const size_t host = url.find("://") + 3;
  const size_t path = url.find('/', host);
  return path == std::string::npos ? std::pair(url, std::string("/"))
                                   : std::pair(url.substr(0, path), url.substr(path));
}

std::string post(const std::string& url, const std::string& json) {
  const auto [host, path] = partsOf(url);
  httplib::Client client(host);
  client.set_connection_timeout(kTimeoutSeconds);
  client.set_read_timeout(kTimeoutSeconds);
  client.set_follow_location(true);
  const httplib::Result answer = client.Post(path, json, "application/json");
  if (!answer) {
    return fmt::format("{}: {}", url, httplib::to_string(answer.error()));
  }
  constexpr int kFirstError = 400;
  return answer->status < kFirstError ? "" : fmt::format("{}: answered with status {}", url, answer->status);
}

} // namespace

bool Incidents::isNew(const Verdict& verdict) {
  const bool runs = std::any_of(verdict.ranks.begin(), verdict.ranks.end(), [](const HangRank& rank) {
    return rank.state != RankState::kExited && rank.state != RankState::kKilled && rank.state != RankState::kNeverCame;
  });
  if (!runs && !reported_.empty()) {
    return false;
  }
  if (verdict.status == HangStatus::kHealthy) {
    reported_.clear();
  }
  if (verdict.status != HangStatus::kStuck && verdict.status != HangStatus::kWrong) {
    return false;
  }
  return std::exchange(reported_, keyOf(verdict)) != keyOf(verdict);
}

std::vector<std::string> notify(const Notification& notification, const Verdict& verdict) {
  std::vector<std::string> problems;
  const std::string json = whyJson(verdict);
  if (!notification.command.empty()) {
    const ShellResult result = runShell(notification.command, json);
    std::fputs(result.output.c_str(), stderr); // stdout has verdicts only
    if (result.status != 0) {
      problems.push_back(fmt::format("--exec {}: ended with status {}", notification.command, result.status));
    }
  }
  if (!notification.webhook.empty()) {
    if (std::string problem = post(notification.webhook, json); !problem.empty()) {
      problems.push_back("--webhook " + problem);
    }
  }
  return problems;
}

std::string webhookProblem(const std::string& url) {
  const bool is_plain = url.starts_with("http://");
#ifdef CPPHTTPLIB_OPENSSL_SUPPORT
  const bool is_known = is_plain || url.starts_with("https://");
  const char* schemes = "http:// or https://";
#else
  const bool is_known = is_plain;
  const char* schemes = "http:// (this build has no TLS)";
#endif
  return is_known ? "" : fmt::format("{}: expected a URL that begins with {}", url, schemes);
}

} // namespace commtap
