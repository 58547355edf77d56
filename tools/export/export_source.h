// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/runs/report_scan.h"

namespace commtap {

/// Whose reports `commtap export` takes.
struct ExportSelection {
  JobSelection job;
  bool all = false; ///< every run and attempt; `job` is not looked at
  std::optional<uint32_t> rank;
  std::string host; ///< "": any
};

/// Those in a folder; of one run by attempt, rank, host and pid. Fails with what there is, if nothing fits.
Result<std::vector<FoundReport>> chosenReports(const ReportScan& scan, const ExportSelection& selection);

/// Reads one after the other, so that thousands need the memory of one. What cannot be read is added to `problems`.
void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit);

} // namespace commtap
