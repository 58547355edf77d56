// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "report/runs/folder.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// The job at `path`: a job report as `commtap merge` writes it, or a report, a ledger or a folder of them, merged one
/// file at a time, whatever their number. Ranks are known by content, not by file name. Fails if there is no such path
/// or nothing in it could be read; files that could not be read beside others are the job report's `problems`.
Result<JobReport> readJob(const std::string& path, const JobSelection& selection, const Progress& progress);

/// The same from a folder that has been looked over; `path` is where.
Result<JobReport>
mergeScan(const std::string& path, const ReportScan& scan, const JobSelection& selection, const Progress& progress);

} // namespace commtap
