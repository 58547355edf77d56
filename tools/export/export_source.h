// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/report_scan.h"

namespace commtap {

/// The reports that `commtap export` takes.
struct ExportSelection {
  JobSelection job;
  bool all = false; ///< every run and attempt; `job` is ignored
  std::optional<uint32_t> rank;
  std::string host; ///< "" for any host
};

/// Returns the selected reports by run, attempt, rank, host and pid. Fails if no report matches.
Result<std::vector<FoundReport>> chosenReports(const ReportScan& scan, const ExportSelection& selection);

/// Gives the reports to `visit` one after the other, so that thousands need the memory of a few. Adds a line to
/// `problems` for each file that cannot be read.
void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit);

} // namespace commtap
