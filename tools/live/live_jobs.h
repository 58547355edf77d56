// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "tools/live/live_folder.h"

namespace commtap {

using AttemptKey = std::pair<std::string, int64_t>; ///< run, attempt

/// Processes of one attempt of one run as a job: what `commtap merge` would make of them. Ranks that are not among them
/// may run on other nodes, so none counts as missing. Fails if there is no such attempt.
Result<JobReport> liveJob(const LiveReports& live, const AttemptKey& key);

/// The data of live jobs' pages. It is the same for everyone who asks within an interval, however many they are.
class LiveJobs {
 public:
  using Clock = std::chrono::steady_clock;

  /// As it was made within the last interval; null if it was not.
  const std::string* kept(const AttemptKey& key, Clock::time_point now) const;
  /// Made anew; null if there is no such attempt.
  const std::string* make(const LiveReports& live, const AttemptKey& key, Clock::time_point now);

 private:
  struct Data {
    Clock::time_point made_at;
    std::string text;
  };
  std::map<AttemptKey, Data> data_;
};

} // namespace commtap
