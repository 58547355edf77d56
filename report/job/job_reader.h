// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "report/base/result.h"
#include "report/job/job_report.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// Receives each report that is merged, and the path of its file: ordered as JobMerge takes them, without the
/// parameters of modules.
using ReportVisitor = std::function<void(const Report&, const std::string&)>;

/// Returns the job at `path`: a job report as `commtap merge` writes it, or a report, a ledger or a folder of them,
/// merged one file at a time, whatever their number. Fails if there is no such path or if nothing in it could be read.
/// Other files that could not be read are the job report's `problems`.
Result<JobReport> readJob(const std::string& path, const JobSelection& selection, const Progress& progress);

/// Merges the reports that scanReports() found at `path`. `visit` may be empty.
Result<JobReport> mergeScan(
    const std::string& path,
    const ReportScan& scan,
    const JobSelection& selection,
    const Progress& progress,
    const ReportVisitor& visit = {});

} // namespace commtap
