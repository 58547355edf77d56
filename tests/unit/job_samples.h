// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "tests/unit/samples.h"

namespace commtap {

/// Returns the reports of ranks 0 to `ranks` - 1 of the sample job.
std::vector<Report> sampleReports(int64_t ranks);

/// Merges the reports, which are sorted by rank.
JobReport jobOf(const std::vector<Report>& reports);

JobReport sampleJob();

/// Returns the row of a module and kind, which the report must have.
Collective& rowOf(Report& report, const std::string& module, Kind kind);

const JobCollective& rowOf(const JobReport& job, const std::string& module, Kind kind);

/// Adds NCCL calls to a report: `count` calls that its collective makes, and two of the module Engine outside
/// collectives, one of which fails.
void addNccl(Report& report, uint64_t count);

/// Returns the sample job on NCCL. Rank 2 calls NCCL once more than the others.
JobReport ncclJob();

/// Returns the sample job with one more all_gather per rank in DistributedDataParallel.net1.
JobReport grownJob();

} // namespace commtap
