// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/job_samples.h"

#include <stdexcept>

#include "report/merge/job_merge.h"

namespace commtap {

std::vector<Report> sampleReports(int64_t ranks) {
  std::vector<Report> reports;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    reports.push_back(sampleReport(rank));
  }
  return reports;
}

JobReport jobOf(const std::vector<Report>& reports) {
  JobMerge merge;
  for (const Report& report : reports) {
    merge.add(report, "rank-" + std::to_string(report.job.rank.value_or(-1)) + ".json");
  }
  JobReport job = merge.finish();
  job.attempts = {0};
  job.source = "out";
  return job;
}

JobReport sampleJob() {
  return jobOf(sampleReports(4));
}

Collective& rowOf(Report& report, const std::string& module, Kind kind) {
  for (Collective& row : report.collectives) {
    if (row.module == module && row.kind == kind) {
      return row;
    }
  }
  throw std::runtime_error("no such row");
}

const JobCollective& rowOf(const JobReport& job, const std::string& module, Kind kind) {
  for (const JobCollective& row : job.collectives) {
    if (row.module == module && row.kind == kind) {
      return row;
    }
  }
  throw std::runtime_error("no such row");
}

void addNccl(Report& report, uint64_t count) {
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

JobReport ncclJob() {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    addNccl(report, report.job.rank == 2 ? 2 : 1);
  }
  return jobOf(reports);
}

JobReport grownJob() {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    Collective& row = rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather);
    row.count += 1;
    row.bytes += 1024;
  }
  return jobOf(reports);
}

} // namespace commtap
