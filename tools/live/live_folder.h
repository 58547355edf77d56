// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/merge/job_reader.h"
#include "report/model/model.h"

namespace commtap {

/// Processes of one host at one moment, from any number of runs.
struct LiveReports {
  std::vector<std::shared_ptr<const Report>> reports; ///< ordered by run, attempt, rank, pid
  std::vector<std::string> problems;                  ///< one line per unreadable file, or for many foreign ones
  size_t unreadable = 0;                              ///< files
  std::vector<std::string> copies;                    ///< one line per new file that is not counted again
};

/// Watches a folder that jobs write to. Reads each ledger on every read(), and each report once. Keeps an ended process
/// for a while, so that a slow scraper gets its last numbers.
class LiveFolder {
 public:
  using Clock = std::chrono::system_clock;

  /// Reads the processes of `host`; cannot know whether a process of another host still runs. Keeps ended processes for
  /// `keep`.
  LiveFolder(std::string path, std::string host, std::chrono::seconds keep)
      : path_(std::move(path)), host_(std::move(host)), keep_(keep) {}

  /// Reads the folder. A missing folder counts as empty.
  LiveReports read(Clock::time_point now);
  const std::string& path() const {
    return path_;
  }

 private:
  struct File {
    Clock::time_point modified;
    uint64_t size = 0;
    uint64_t inode = 0;
    bool seen = false;
    bool foreign = false;       ///< of another host; not read again
    bool running = false;       ///< a ledger whose process was running at the last read
    Clock::time_point ended_at; ///< when the process was first seen not to run
    std::shared_ptr<const Report> report;
    std::string problem;
    bool is_ours = true; ///< false: the file with the problem does not begin like one of commtap's
  };

  bool scan(Clock::time_point now);
  void look(const std::string& path, Clock::time_point now);
  void readLedger(const std::string& path, File& file, Clock::time_point now);
  void readReport(const std::string& path, File& file);
  void take(Report report, File& file);
  static void setProblem(const std::string& path, const std::string& problem, File& file);
  void collectProblems(LiveReports& live) const;
  LiveReports collect(Clock::time_point now);

  std::string path_;
  std::string host_;
  std::chrono::seconds keep_;
  std::map<std::string, File> files_;
  std::set<std::string> said_copies_; ///< lines that were in LiveReports::copies
  FastReportReader reader_;
};

/// Seconds without a collective or step after which a job counts as quiet, although its processes seem to run.
inline constexpr uint64_t kQuietJobSeconds = 60;

/// Returns the whole seconds since the last activity of any of the processes; 0 if that is in the future.
uint64_t idleSeconds(std::span<const Report* const> reports, uint64_t now_ns);

} // namespace commtap
