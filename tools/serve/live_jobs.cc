// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/live_jobs.h"

#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/base/process.h"
#include "report/merge/job_merge.h"
#include "tools/html/page_data.h"
#include "tools/live/live_folder.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr std::chrono::seconds kKeptFor(2);

std::vector<const Report*> reportsOf(const LiveReports& live, const AttemptKey& key) {
  std::vector<const Report*> reports;
  for (const auto& report : live.reports) {
    if (AttemptKey(report->job.run_id, report->job.attempt) == key) {
      reports.push_back(report.get());
    }
  }
  return reports;
}

/// Adds to the page's data how long the job has been idle, by this machine's clock: the reader's may differ.
std::string withIdleTime(std::string data, uint64_t seconds) {
  return data.insert(1, fmt::format("\"idle_s\":{},\"quiet_s\":{},", seconds, kQuietJobSeconds));
}

} // namespace

Result<JobReport> liveJob(const LiveReports& live, const AttemptKey& key) {
  std::vector<const Report*> reports = reportsOf(live, key);
  std::set<int64_t> attempts;
  for (const auto& report : live.reports) {
    if (report->job.run_id == key.first) {
      attempts.insert(report->job.attempt);
    }
  }
  if (reports.empty()) {
    return Result<JobReport>::failure("no such run");
  }
  JobReport job = mergedJob(std::move(reports));
  job.attempts.assign(attempts.begin(), attempts.end());
  job.missing.clear();
  job.problems = live.problems;
  return job;
}

const std::string* LiveJobs::kept(const AttemptKey& key, Clock::time_point now) const {
  const auto found = data_.find(key);
  return found == data_.end() || now - found->second.made_at >= kKeptFor ? nullptr : &found->second.text;
}

const std::string* LiveJobs::make(
    const LiveReports& live,
    const AttemptKey& key,
    const Verification* verification,
    Clock::time_point now) {
  std::erase_if(data_, [now](const auto& item) { return now - item.second.made_at >= kKeptFor; });
  const Result<JobReport> job = liveJob(live, key);
  if (!job) {
    return nullptr;
  }
  Data& data = data_[key];
  data = {now, withIdleTime(pageData(*job, verification), idleSeconds(reportsOf(live, key), wallClockNs()))};
  return &data.text;
}

namespace {

constexpr const char* kRun = "run";
constexpr const char* kAttempt = "attempt";

std::string inAddress(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

} // namespace

std::optional<AttemptKey> attemptFrom(const std::map<std::string, std::string>& parameters) {
  const auto run = parameters.find(kRun);
  const auto attempt = parameters.find(kAttempt);
  if (run == parameters.end() || attempt == parameters.end()) {
    return std::nullopt;
  }
  const std::optional<int64_t> number = wholeNumber(attempt->second);
  return number ? std::optional(AttemptKey(run->second, *number)) : std::nullopt;
}

std::string jobAddress(const AttemptKey& key) {
  return fmt::format("job?{}={}&{}={}", kRun, inAddress(key.first), kAttempt, key.second);
}

} // namespace commtap
