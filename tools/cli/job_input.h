// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"
#include "report/runs/report_scan.h"
#include "tools/cli/verb.h"

namespace commtap {

/// Returns the text on the newest run that failed without a report, began after `after_ns` and is meant by the
/// selection; "" if there is none.
std::string failedRun(const std::string& path, const JobSelection& selection, uint64_t after_ns);

/// Says that what was read began at `after_ns` and is not of the newest run, which failed without a report. Says
/// nothing if a run is selected.
void sayLaterFailure(const std::string& path, const JobSelection& selection, uint64_t after_ns);

/// Says which run was read if it was not selected and others were left out.
void sayRun(const std::string& run_id, uint64_t others, const JobSelection& selection);

/// Adds to `not_seen` the processes of the run that loaded torch without commtap, as `commtap run` noted. Leaves a
/// merged report as it is.
void addMissed(const std::string& path, JobReport& job);

/// Reads the job at a subcommand's PATH, after it has converted the ledgers of killed processes. On failure ends the
/// verb, with kExitUsage if PATH, the run or the attempt does not exist.
JobReport readJobInput(const std::string& path, const JobSelection& selection);

/// Returns the plan in `plan`, read from the folder `path`, as it would be with as many steps as `run` made. A plan of
/// another number of steps that is not of a folder, or of one step, is returned unchanged with a line to stderr.
JobReport planFor(const std::string& path, const JobReport& plan, const JobReport& run);

/// Returns the option that bounds the files that a verb reads.
Option inputLimit();

/// Ends the verb if `path` is a merged report, which has no single ranks.
void mustHoldRanks(const std::string& path);

} // namespace commtap
