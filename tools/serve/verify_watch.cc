// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/verify_watch.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "report/runs/samples_paths.h"
#include "tools/metrics/job_metrics.h"
#include "tools/text/text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
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
