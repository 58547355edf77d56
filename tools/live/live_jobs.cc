// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/live_jobs.h"

#include <set>
#include <utility>
#include <vector>

#include "report/job/job_merge.h"
#include "tools/html/page_data.h"

namespace commtap {
namespace {

constexpr std::chrono::seconds kKeptFor(2);

} // namespace

Result<JobReport> liveJob(const LiveReports& live, const AttemptKey& key) {
  std::vector<const Report*> reports;
  std::set<int64_t> attempts;
  for (const auto& report : live.reports) {
    if (report->job.run_id == key.first) {
      attempts.insert(report->job.attempt);
      if (report->job.attempt == key.second) {
        reports.push_back(report.get());
      }
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

const std::string* LiveJobs::make(const LiveReports& live, const AttemptKey& key, Clock::time_point now) {
  std::erase_if(data_, [now](const auto& item) { return now - item.second.made_at >= kKeptFor; });
  const Result<JobReport> job = liveJob(live, key);
  if (!job) {
    return nullptr;
  }
  Data& data = data_[key];
  data = {now, pageData(*job)};
  return &data.text;
}

} // namespace commtap
