// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/incident.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "report/base/file_descriptor.h"
#include "report/json/row_write.h"
#include "tools/http/http_client.h"
#include "tools/why/why_text.h"

extern char** environ;

namespace commtap {
namespace {

/// Returns a file in memory with `text`, read from its start; a closed descriptor on an error. A pipe would block on a
/// command that does not read.
int inputOf(const std::string& text) {
  const int fd = memfd_create("commtap-input", MFD_CLOEXEC);
  const bool is_whole = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!is_whole || lseek(fd, 0, SEEK_SET) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

std::string readAll(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 1; count > 0 || (count < 0 && errno == EINTR);) {
    count = read(fd, buffer, sizeof(buffer));
    text.append(buffer, count > 0 ? static_cast<size_t>(count) : 0);
  }
  return text;
}

pid_t spawnShell(const std::string& command, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const char* const arguments[] = {"sh", "-c", command.c_str(), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -1;
}

} // namespace

ShellResult runShell(const std::string& command, const std::string& input) {
  ShellResult result;
  int ends[2];
  const FileDescriptor in(inputOf(input));
  if (!in.isOpen() || pipe2(ends, O_CLOEXEC) != 0) {
    return result;
  }
  const FileDescriptor out(ends[0]);
  pid_t child = -1;
  {
    const FileDescriptor writes(ends[1]);
    child = spawnShell(command, in.get(), writes.get());
  }
  if (child < 0) {
    return result;
  }
  result.output = readAll(out.get());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalBase = 128;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return result;
}

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
  const std::string json = jsonDocument(verdict);
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
