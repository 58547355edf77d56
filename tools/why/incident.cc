// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/incident.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "tools/http/http_post.h"
#include "tools/why/shell_command.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// The watch looks at no job while it waits. The status is enough, so the body is not read.
constexpr HttpLimits kWebhookLimits = {.answer = std::chrono::seconds(10), .bytes = 0};

/// Returns what makes a hang the same one in the next look.
std::string keyOf(const Verdict& verdict) {
  std::string key = fmt::format(
      "{} {} {} {}", verdict.run_id, verdict.attempt, hangReasonName(verdict.reason), rangesText(verdict.cause));
  if (verdict.call) {
    key += fmt::format(" {} {}", verdict.call->group, verdict.call->sequence);
  }
  return key;
}

} // namespace

bool Incidents::isNew(Verdict& verdict) {
  const bool runs = std::any_of(verdict.ranks.begin(), verdict.ranks.end(), [](const HangRank& rank) {
    return rank.state != RankState::kExited && rank.state != RankState::kKilled && rank.state != RankState::kEnded &&
           rank.state != RankState::kNeverCame;
  });
  if (!runs && !reported_.empty()) {
    return false;
  }
  if (verdict.status == HangStatus::kHealthy) {
    reported_.clear();
  }
  if (verdict.status == HangStatus::kHealthy || verdict.status == HangStatus::kUnknown) {
    return false;
  }
  std::string key = keyOf(verdict);
  const bool is_same = key == reported_;
  if (is_same && verdict.status <= status_) {
    return false;
  }
  verdict.earlier_status = is_same ? std::optional(status_) : std::nullopt;
  reported_ = std::move(key);
  status_ = verdict.status;
  return true;
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
    const HttpReply reply = postJson(notification.webhook, json, kWebhookLimits);
    if (!isTaken(reply)) {
      const std::string why = reply.status == 0 ? reply.problem : statusText(reply);
      problems.push_back(fmt::format("--webhook {}: {}", notification.webhook, why));
    }
  }
  return problems;
}

} // namespace commtap
