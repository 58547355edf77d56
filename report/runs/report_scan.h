// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/runs/folder.h"

namespace commtap {

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

/// Fails if there is no such path or nothing in it could be read.
Result<ReportScan> scanReports(const std::string& path, const Progress& progress);

/// The runs in a folder, the newest first.
std::vector<FoundRun> runsOf(const ReportScan& scan);

/// Which of the processes in a folder make the job.
struct JobSelection {
  std::optional<std::string> run_id; ///< by default the newest run
  std::optional<int64_t> attempt;    ///< by default the last attempt of that run
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
