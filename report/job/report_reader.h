// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/job/fast_report_json.h"
#include "report/model/model.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// A report that was read, or why not.
struct ReadReport {
  std::string path; ///< of the file that was read: a process may have put its report in its ledger's place
  Result<Report> report;
};

/// Reads reports and ledgers with several threads and gives them to `visit` in the order of `found`, in the caller's
/// thread. Needs memory for a few of them at a time. `progress` may be empty.
void forEachReport(
    const std::vector<FoundReport>& found,
    ReportDepth depth,
    const Progress& progress,
    const std::function<void(ReadReport)>& visit);

} // namespace commtap
