// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "report/job/job_merge.h"
#include "report/job/job_report.h"
#include "tests/unit/samples.h"

namespace commtap {

/// Returns the reports of ranks 0 to `ranks` - 1 of the sample job.
inline std::vector<Report> sampleReports(int64_t ranks) {
  std::vector<Report> reports;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    reports.push_back(sampleReport(rank));
  }
  return reports;
}

/// Merges the reports, which are sorted by rank.
inline JobReport jobOf(const std::vector<Report>& reports) {
  JobMerge merge;
  for (const Report& report : reports) {
    merge.add(report, "rank-" + std::to_string(report.job.rank.value_or(-1)) + ".json");
  }
  JobReport job = merge.finish();
  job.attempts = {0};
  job.source = "out";
  return job;
}

inline JobReport sampleJob() {
  return jobOf(sampleReports(4));
}

/// Returns the row of a module and kind, which the report must have.
inline Collective& rowOf(Report& report, const std::string& module, Kind kind) {
  for (Collective& row : report.collectives) {
    if (row.module == module && row.kind == kind) {
      return row;
    }
  }
  throw std::runtime_error("no such row");
}

inline const JobCollective& rowOf(const JobReport& job, const std::string& module, Kind kind) {
  for (const JobCollective& row : job.collectives) {
    if (row.module == module && row.kind == kind) {
      return row;
    }
  }
  throw std::runtime_error("no such row");
}

/// Adds NCCL calls to a report: `count` calls that its collective makes, and two of the module Engine outside
/// collectives, one of which fails.
inline void addNccl(Report& report, uint64_t count) {
  const Collective& row = rowOf(report, "DistributedDataParallel", Kind::kAllReduce);
  Nccl& nccl = report.nccl.emplace();
  nccl.version = "2.29.7";
  nccl.communicators = {{4, static_cast<uint32_t>(report.job.rank.value_or(0)), row.group}, {}};
  NcclCall& of_row = nccl.calls.emplace_back();
  of_row.function = "ncclAllReduce";
  of_row.communicator = 0;
  of_row.op = row.op;
  of_row.group = row.group;
  of_row.module = row.module;
  of_row.phase = row.phase;
  of_row.dtype = row.dtype;
  of_row.count = count;
  of_row.bytes = count * 320;
  NcclCall& beside = nccl.calls.emplace_back();
  beside.function = "ncclBroadcast";
  beside.module = "Engine";
  beside.count = 2;
  beside.failed = 1;
  beside.bytes = 64;
}

/// Returns the sample job on NCCL. Rank 2 calls NCCL once more than the others.
inline JobReport ncclJob() {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    addNccl(report, report.job.rank == 2 ? 2 : 1);
  }
  return jobOf(reports);
}

/// Returns the sample job with one more all_gather per rank in DistributedDataParallel.net1.
inline JobReport grownJob() {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    Collective& row = rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather);
    row.count += 1;
    row.bytes += 1024;
  }
  return jobOf(reports);
}

} // namespace commtap
