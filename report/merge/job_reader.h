// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// Receives each merged report and the path of its file, in the order of JobMerge. Module parameters are not read.
using ReportVisitor = std::function<void(const Report&, const std::string&)>;

/// Returns the job at `path`: a job report of `commtap export --format job`, a report, a ledger, or a folder of reports
/// and ledgers. Of a plan's folder it is the plan of all ranks, unless one rank is selected. Reads and merges one file
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

} // namespace commtap
