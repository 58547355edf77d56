// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/hang_watch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "report/hang/hang_vocabulary.h"
#include "tools/metrics/job_metrics.h"
#include "tools/why/job_verdict.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// Two looks that are nearer to each other do not show whether a process computes.
constexpr uint64_t kMinBetweenNs = 1'000'000'000;
constexpr size_t kMostCauses = 16;

std::map<AttemptKey, JobLook> byAttempt(const JobLook& now) {
  std::map<AttemptKey, JobLook> looks;
  for (const SeenProcess& process : now.processes) {
    const Job& job = process.report->job;
    if (job.rank) {
      JobLook& look = looks[{job.run_id, job.attempt}];
      look.at_ns = now.at_ns;
      look.has_all_hosts = now.has_all_hosts;
      look.processes.push_back(process);
    }
  }
  return looks;
}

MetricLabels labelsOf(const AttemptKey& key) {
  return labelsOfRank(key.first, key.second, std::nullopt);
}

void addStatus(const AttemptKey& key, const Verdict& verdict, Exposition& exposition) {
  for (int i = 0; i < kHangStatusCount; ++i) {
    const auto status = static_cast<HangStatus>(i);
    exposition.add(
        MetricId::kHangStatus,
        labelsOf(key).with({{"status", hangStatusName(status)}}).text(),
        uint64_t{status == verdict.status});
  }
}

void addCauses(const AttemptKey& key, const Verdict& verdict, Exposition& exposition) {
  const bool is_told = verdict.status != HangStatus::kHealthy && verdict.status != HangStatus::kUnknown;
  size_t told = 0;
  for (const auto& [first, last] : verdict.cause) {
    for (int64_t rank = first; is_told && rank <= last && told < kMostCauses; ++rank, ++told) {
      const std::string_view group = verdict.call ? std::string_view(verdict.call->group) : "";
      const std::string_view module = verdict.call ? std::string_view(verdict.call->module) : "";
      exposition.add(
          MetricId::kHangCause,
          labelsOfRank(key.first, key.second, rank)
              .with({{"reason", hangReasonName(verdict.reason)}, {"group", group}, {"module", module}})
              .text(),
          uint64_t{1});
    }
  }
}

} // namespace

std::vector<std::string> HangWatch::look(const JobLook& now) {
  for (auto& [key, attempt] : attempts_) {
    attempt.seen = false;
  }
  std::vector<std::string> lines;
  for (auto& [key, look] : byAttempt(now)) {
    Attempt& attempt = attempts_[key];
    attempt.seen = true;
    judge(std::move(look), attempt);
    if (attempt.incidents.isNew(attempt.verdict)) {
      lines.push_back(fmt::format(
          "run {} attempt {} is {}{}: {}",
          key.first,
          key.second,
          hangStatusName(attempt.verdict.status),
          earlierStatusText(attempt.verdict),
          attempt.verdict.line));
    }
  }
  std::erase_if(attempts_, [](const auto& item) { return !item.second.seen; });
  return lines;
}

void HangWatch::judge(JobLook now, Attempt& attempt) {
  noteProgress(attempt.before, now);
  attempt.verdict = verdictOf(attempt.before, now, kDefaultPatienceS);
  if (attempt.before.at_ns + kMinBetweenNs <= now.at_ns) {
    attempt.before = earlier(now);
  }
}

void HangWatch::addTo(Exposition& exposition) const {
  for (const auto& [key, attempt] : attempts_) {
    addStatus(key, attempt.verdict, exposition);
    addCauses(key, attempt.verdict, exposition);
  }
}

} // namespace commtap
