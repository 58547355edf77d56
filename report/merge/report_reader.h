// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/merge/fast_report_json.h"
#include "report/model/model.h"
#include "report/runs/report_scan.h"

namespace commtap {

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
