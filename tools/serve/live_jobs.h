// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "report/verify/verification.h"
#include "tools/live/job_look.h"
#include "tools/live/live_folder.h"

namespace commtap {

/// Merges the processes of one attempt of one run, as `commtap show` does. Absent ranks may run on other nodes, so
/// none counts as missing. Fails if there is no such attempt.
Result<JobReport> liveJob(const LiveReports& live, const AttemptKey& key);

/// Caches the data of live jobs' pages, so that many readers within an interval cost one merge.
class LiveJobs {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns the data if it is younger than the interval; otherwise null.
  const std::string* kept(const AttemptKey& key, Clock::time_point now) const;
  /// Rebuilds the data; returns null if there is no such attempt. `verification` is null without samples.
  const std::string*
  make(const LiveReports& live, const AttemptKey& key, const Verification* verification, Clock::time_point now);

 private:
  struct Data {
    Clock::time_point made_at;
    std::string text;
  };
  std::map<AttemptKey, Data> data_;
};

/// Returns the address of a job's page in `commtap serve`, relative to `/`. Encodes any run ID.
std::string jobAddress(const AttemptKey& key);

/// Parses the parameters of an address that jobAddress() returned; nullopt if they name no attempt.
std::optional<AttemptKey> attemptFrom(const std::map<std::string, std::string>& parameters);

} // namespace commtap
