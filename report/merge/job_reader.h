// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/job/job_report.h"
#include "report/model/model.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// Selects how much of a report is read.
enum class ReportDepth : bool {
  kCompared, ///< no module parameters; the newest kMostCompared last collectives
  kAll,
};

/// Reads reports with simdjson, many times faster than reportFromJson(), by the same overloads of readField(): both
/// accept the same documents with the same errors. Needs one reader per thread.
class FastReportReader {
 public:
  FastReportReader();
  FastReportReader(FastReportReader&&) noexcept;
  FastReportReader& operator=(FastReportReader&&) noexcept;
  ~FastReportReader();

  /// Returns the report in a file. An error names the path and what was found there, also that reading it would take
  /// more than `memory` bytes.
  Result<Report>
  read(const std::string& path, ReportDepth depth = ReportDepth::kCompared, uint64_t memory = maxInputSize());
  /// Returns the report in `text`. An error begins with `name`.
  Result<Report> readText(const std::string& name, std::string text, ReportDepth depth);

 private:
  struct State;

  Result<Report> parse(const std::string& name, std::string& text, ReportDepth depth, uint64_t memory);
  static Result<Report> parseBy(State& state, const std::string& name, std::string& text, ReportDepth depth);

  std::unique_ptr<State> state_;
};

/// Receives each merged report and the path of its file, in the order of JobMerge. Module parameters are not read.
using ReportVisitor = std::function<void(const Report&, const std::string&)>;

/// Returns the job at `path`: a job report of `commtap export --format job`, a report, a ledger, or a folder of reports
/// and ledgers. A plan's folder gives the plan of all ranks, unless one rank is selected. Reads and merges one file
/// at a time. Fails if `path` does not exist or nothing in it could be read. JobReport::problems lists the other files
/// that could not be read.
Result<JobReport> readJob(const std::string& path, const JobSelection& selection, const Progress& progress);

/// Returns whether the file at `path` is a job report of `commtap export --format job`.
bool isJobReport(const std::string& path);

/// Merges the reports that scanReports() found at `path`. `visit` may be empty.
Result<JobReport> mergeScan(
    const std::string& path,
    const ReportScan& scan,
    const JobSelection& selection,
    const Progress& progress,
    const ReportVisitor& visit = {});

/// A report, or the error of reading it.
struct ReadReport {
  std::string path; ///< of the file read; a report that replaced its ledger has another path
  Result<Report> report;
};

/// Reads reports and ledgers with several threads. Calls `visit` in the caller's thread, in the order of `found`. Holds
/// a few reports in memory at a time. `progress` may be empty.
void forEachReport(
    const std::vector<FoundReport>& found,
    ReportDepth depth,
    const Progress& progress,
    const std::function<void(ReadReport)>& visit);

} // namespace commtap
