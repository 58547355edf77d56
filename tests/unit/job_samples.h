// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "tests/unit/samples.h"

namespace commtap {

/// The reports of ranks 0 to `ranks` - 1 of the sample job.
std::vector<Report> sampleReports(int64_t ranks);

/// The reports, which are by rank, made one.
JobReport jobOf(const std::vector<Report>& reports);

JobReport sampleJob();

/// The row of a module and kind of a report, which must be there.
Collective& rowOf(Report& report, const std::string& module, Kind kind);

const JobCollective& rowOf(const JobReport& job, const std::string& module, Kind kind);

/// Gives a report the calls to NCCL that a collective of its own makes, `count` of them, and two of the module Engine,
/// one of which fails.
void addNccl(Report& report, uint64_t count);

/// The sample job over NCCL; rank 2 calls it once more than the others.
JobReport ncclJob();

/// All ranks of `job` make one more all_gather in DistributedDataParallel.net1 than the sample's.
JobReport grownJob();

} // namespace commtap
