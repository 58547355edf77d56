// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/verdict_watch.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "report/hang/hang_vocabulary.h"
#include "report/runs/report_paths.h"
#include "tools/metrics/rank_metrics.h"
#include "tools/text/text.h"
#include "tools/verify/verified_run.h"
#include "tools/why/job_verdict.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// Two looks that are nearer to each other do not show whether a process computes.
constexpr uint64_t kMinBetweenNs = 1'000'000'000;
constexpr size_t kMostCauses = 16;

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

std::string HangWatch::why(const AttemptKey& key) const {
  const auto found = attempts_.find(key);
  return found != attempts_.end() && needsLook(found->second.verdict) ? found->second.verdict.line : "";
}

void HangWatch::addTo(Exposition& exposition) const {
  for (const auto& [key, attempt] : attempts_) {
    addStatus(key, attempt.verdict, exposition);
    addCauses(key, attempt.verdict, exposition);
  }
}

namespace {

std::set<AttemptKey> attemptsOf(const LiveReports& live) {
  std::set<AttemptKey> keys;
  for (const auto& report : live.reports) {
    if (report->job.rank) {
      keys.emplace(report->job.run_id, report->job.attempt);
    }
  }
  return keys;
}

bool isBad(VerifyStatus status) {
  return status == VerifyStatus::kSuspect || status == VerifyStatus::kWrong;
}

} // namespace

/// Returns whether a samples file is new, or has another size than at the last look.
bool VerifyWatch::haveGrown() {
  std::map<std::string, uint64_t> sizes;
  std::vector<std::string> problems;
  for (const std::string& file : samplesPaths(path_, problems)) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(file, error);
    sizes[file] = error ? 0 : size;
  }
  const bool has_changed = sizes != sizes_;
  sizes_ = std::move(sizes);
  return has_changed;
}

std::vector<std::string> VerifyWatch::look(const LiveReports& live) {
  const std::set<AttemptKey> keys = attemptsOf(live);
  std::erase_if(attempts_, [&keys](const auto& entry) { return !keys.contains(entry.first); });
  const bool have_grown = haveGrown();
  std::vector<std::string> lines;
  for (const AttemptKey& key : keys) {
    const auto [known, is_new] = attempts_.emplace(key, std::nullopt);
    if (sizes_.empty() || (!is_new && !have_grown)) {
      continue;
    }
    Result<Verification> result = verifiedRun(path_, {.run_id = key.first, .attempt = key.second});
    const bool is_news = result && (!known->second || known->second->status != result->status);
    if (is_news && isBad(result->status)) {
      lines.push_back(fmt::format("run {} attempt {}: {}", inert(key.first), key.second, result->line));
    }
    known->second = result ? std::optional(std::move(*result)) : std::nullopt;
  }
  return lines;
}

const Verification* VerifyWatch::verdictOf(const AttemptKey& key) const {
  const auto found = attempts_.find(key);
  return found == attempts_.end() || !found->second ? nullptr : &*found->second;
}

void VerifyWatch::addTo(Exposition& exposition) const {
  for (const auto& [key, found] : attempts_) {
    for (int i = 0; found && i < kVerifyStatusCount; ++i) {
      const auto status = static_cast<VerifyStatus>(i);
      exposition.add(
          MetricId::kVerifyStatus,
          labelsOfRank(key.first, key.second, std::nullopt).with({{"status", verifyStatusName(status)}}).text(),
          uint64_t{status == found->status});
    }
  }
}

} // namespace commtap
