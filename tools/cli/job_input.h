// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/job/job_report.h"
#include "report/runs/report_scan.h"

namespace commtap {

/// Reads the job at a subcommand's PATH, after it has converted the ledgers of killed processes. On failure writes a
/// line to stderr, sets `exit_status` and returns nullopt: kExitUsage if PATH, the run or the attempt does not exist.
std::optional<JobReport> readJobInput(const std::string& path, const JobSelection& selection, int& exit_status);

/// Returns false, and writes a line to stderr, if `path` is a merged report, which has no single ranks.
bool holdsRanks(const std::string& path);

} // namespace commtap
