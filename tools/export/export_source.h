// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/report_scan.h"

namespace commtap {

/// Selects the reports to export.
struct ExportSelection {
  JobSelection job;
  bool all = false; ///< every run and attempt; ignores `job`
  std::optional<uint32_t> rank;
  std::string host; ///< "" for any host
};

/// Returns the selected reports, sorted by run, attempt, rank, host and pid. Fails if none match.
Result<std::vector<FoundReport>> chosenReports(const ReportScan& scan, const ExportSelection& selection);

/// Reads the reports one after another, so only one is in memory at a time. Adds read errors to `problems`.
void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit);

} // namespace commtap
