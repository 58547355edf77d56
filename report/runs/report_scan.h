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
#include "report/runs/report_paths.h"

namespace commtap {

/// Receives the number of files read and the number of files found, at irregular intervals.
using Progress = std::function<void(size_t, size_t)>;

/// A report or ledger that was found, and the job of its process.
struct FoundReport {
  std::string path;
  bool is_ledger = false;
  Job job;            ///< without its command line
  uint64_t calls = 0; ///< of a ledger; see ProcessFile
};

/// The files found below a path, each process once. Only their heads were read.
struct ReportScan {
  std::vector<FoundReport> reports;
  std::vector<std::string> problems; ///< one line per file that could not be read, or for many foreign ones
  size_t unnamed = 0;                ///< foreign files without a line of their own
  std::vector<std::string> copies;   ///< one line per file of a process that another file already holds
};

/// Whether to keep further files of a process that one file holds already.
enum class Copies : bool { kLeaveOut, kKeep };

/// Finds the reports and ledgers at or below `path`. Changes nothing: see recoverOrphanedLedgers(). Identifies
/// processes by content, not by file name, and unless `copies` is kKeep counts one file per process: see
/// oneFilePerProcess(). Fails if `path` does not exist or nothing in it could be read.
Result<ReportScan> scanReports(const std::string& path, const Progress& progress, Copies copies = Copies::kLeaveOut);

/// Orders reports as JobMerge requires: by run, attempt, rank, host and pid, processes without a rank last.
bool comesBefore(const Job& a, const Job& b);

/// Returns the runs in a folder, newest first.
std::vector<FoundRun> runsOf(const ReportScan& scan);

/// Selects the processes of a folder that make the job.
struct JobSelection {
  std::optional<std::string> run_id = {}; ///< as runsMeant(); by default the newest run
  std::optional<int64_t> attempt = {};    ///< by default the last attempt of that run
  std::optional<int64_t> rank = {};       ///< by default all ranks
};

/// The processes of one attempt of one run.
struct SelectedReports {
  std::vector<FoundReport> reports; ///< by rank, host and pid; processes without a rank last
  std::vector<int64_t> attempts;    ///< all attempts of the run, ascending
  uint64_t other_runs = 0;
};

/// Returns the selected reports. If there are none, the error names the missing run, attempt or rank.
Result<SelectedReports> selectReports(const ReportScan& scan, const JobSelection& selection);

/// A file that holds the counts of a process. A folder may hold several files of one process: its ledger and its
/// report for a moment, and copies that a user made.
struct ProcessFile {
  std::string path;
  const Job* job = nullptr;
  bool is_ledger = false;
  uint64_t calls = 0; ///< collectives in a ledger, see callsOf(); not read for a report
};

/// Returns the number of collectives that a report counts.
uint64_t callsOf(const Report& report);

/// Returns the positions of the files to count, one per process, ascending. Prefers a report to a ledger, a report with
/// an end time, the ledger with the most calls, then the highest folder. Adds a line to `copies` for each file left
/// out, except for a ledger next to its report.
std::vector<size_t> oneFilePerProcess(const std::vector<ProcessFile>& files, std::vector<std::string>& copies);

} // namespace commtap
