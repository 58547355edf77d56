// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tools/hosts/host_document.h"
#include "tools/list/listed_run.h"
#include "tools/live/late_watch.h"
#include "tools/live/live_folder.h"
#include "tools/live/step_watch.h"
#include "tools/metrics/exposition.h"
#include "tools/serve/live_jobs.h"
#include "tools/serve/verdict_watch.h"

namespace commtap {

/// The answers of `commtap serve`, read from a folder on request. Thread-safe: one thread reads, the others wait and
/// share the result for a moment.
class LiveMetrics {
 public:
  LiveMetrics(LiveFolder folder, std::optional<uint32_t> depth, size_t max_series)
      : path_(folder.path()), folder_(std::move(folder)), depth_(depth), limit_(max_series), verified_(path_) {}

  std::string metrics(Dialect dialect);
  /// Returns the bodies of the requests that push the samples (tools/metrics/exposition.h).
  std::vector<std::string> otlp(const std::string& host);
  /// Returns what a view of many hosts asks for (tools/hosts/host_document.h).
  std::string hostDocument(const HostQuestion& question);
  /// Returns the complete reports (tools/hosts/report_archive.h).
  std::string reportArchive();
  std::string page(const std::string& folder_name);
  /// Returns the data of a job's page; nullopt if there is no such job.
  std::optional<std::string> jobData(const AttemptKey& key);

 private:
  void refresh();
  Exposition exposition();
  RunList runs();

  const std::string path_;
  std::mutex mutex_;
  LiveFolder folder_;
  std::optional<uint32_t> depth_;
  SeriesLimit limit_;
  LiveReports live_;
  JobLook look_; ///< at the processes of live_
  StepWatch steps_;
  LateWatch late_;
  HangWatch hangs_;
  VerifyWatch verified_;
  LiveJobs jobs_;
  double read_seconds_ = 0;
  std::optional<std::chrono::steady_clock::time_point> read_at_;
  std::mutex runs_mutex_; ///< of what follows; not held with the other
  RunList runs_;
  std::optional<std::chrono::steady_clock::time_point> listed_at_;
};

/// Returns the dialect that an HTTP client requests with its Accept header.
Dialect wantedDialect(const std::string& accept);

} // namespace commtap
