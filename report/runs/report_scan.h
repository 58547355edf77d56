// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"

namespace commtap {

/// Called now and then with the number of files read and the number of files found.
using Progress = std::function<void(size_t, size_t)>;

/// A report or ledger that was found, and whose it is.
struct FoundReport {
  std::string path;
  bool is_ledger = false;
  Job job; ///< without its command line
};

/// A run, as far as a folder holds it.
struct FoundRun {
  std::string run_id;
  uint64_t started_at_ns = 0; ///< CLOCK_REALTIME, of its last process to start
};

/// What is below a path, looked over but not read. Each process is there once.
struct ReportScan {
  std::vector<FoundReport> reports;
  std::vector<std::string> problems; ///< one line for each file that could not be read, with its path
};

/// Finds the reports and ledgers at or below `path`, without changing anything: see recoverOrphanedLedgers(). Processes
/// are known by content, not by file name; if a process has both a ledger and a report, the report counts. Fails if
/// there is no such path or if nothing in it could be read.
Result<ReportScan> scanReports(const std::string& path, const Progress& progress);

/// Orders reports as JobMerge takes them: by run, attempt, rank, host and pid, processes without a rank last.
bool comesBefore(const Job& a, const Job& b);

/// The runs in a folder, the newest first.
std::vector<FoundRun> runsOf(const ReportScan& scan);

/// Which of the processes in a folder make the job.
struct JobSelection {
  std::optional<std::string> run_id; ///< by default the newest run
  std::optional<int64_t> attempt;    ///< by default the last attempt of that run
  std::optional<int64_t> rank;       ///< by default all ranks
};

/// The processes of one attempt of one run.
struct SelectedReports {
  std::vector<FoundReport> reports; ///< by rank, host and pid; those without a rank last
  std::vector<int64_t> attempts;    ///< all that the run has, ascending
  uint64_t other_runs = 0;
};

/// Fails with what there is, if what was asked for is not.
Result<SelectedReports> selectReports(const ReportScan& scan, const JobSelection& selection);

} // namespace commtap
