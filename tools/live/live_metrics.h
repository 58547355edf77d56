// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "tools/live/live_folder.h"
#include "tools/live/live_jobs.h"
#include "tools/metrics/exposition.h"
#include "tools/metrics/series_limit.h"

namespace commtap {

/// What `commtap serve` answers, read from a folder when it is asked for. For several threads: one reads, the others
/// wait, and whoever comes within a moment gets the same.
class LiveMetrics {
 public:
  LiveMetrics(LiveFolder folder, std::optional<uint32_t> depth, size_t max_series)
      : folder_(std::move(folder)), depth_(depth), limit_(max_series) {}

  std::string metrics(Dialect dialect);
  std::string page(const std::string& folder_name);
  /// What the page of a job shows; nullopt if there is no such job.
  std::optional<std::string> jobData(const AttemptKey& key);

 private:
  void refresh();

  std::mutex mutex_;
  LiveFolder folder_;
  std::optional<uint32_t> depth_;
  SeriesLimit limit_;
  LiveReports live_;
  LiveJobs jobs_;
  double read_seconds_ = 0;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
};

/// The dialect that an HTTP client asks for with its Accept header.
Dialect wantedDialect(const std::string& accept);

} // namespace commtap
