// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/base/result.h"
#include "report/runs/report_scan.h"
#include "report/verify/verification.h"

namespace commtap {

/// Judges the samples at or below `path`, in words too. Fails if there are none of the selected run and attempt.
Result<Verification> verifiedRun(const std::string& path, const JobSelection& selection, const Progress& progress = {});

/// As verifiedRun(); nullopt if the run has no samples that can be read.
std::optional<Verification> verifiedIfSampled(const std::string& path, const JobSelection& selection);

/// Returns the line "verify: ..." for commands that show other facts of the run, with the command that shows more; ""
/// if the run has no samples.
std::string verifiedLine(const std::string& path, const JobSelection& selection);

} // namespace commtap
