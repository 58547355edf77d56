// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tests/unit/job_samples.h"

namespace commtap {

/// Returns a job with rows in every table.
inline JobReport fullJob() {
  std::vector<Report> reports = sampleReports(3);
  rowOf(reports[1], "DistributedDataParallel.net1", Kind::kAllGather).count = 7;
  Collective send = rowOf(reports[0], "Global", Kind::kBroadcast);
  send.kind = Kind::kSend;
  reports[0].collectives.push_back(send);
  reports[2].job.rank = std::nullopt;
  reports[2].steps.clear();
  reports[0].steps = {{0, 2, 1000, 1500, 2, 2, {{Kind::kAllReduce, reports[0].groups[0].name, 2, 64}}}};
  reports[1].steps = {{0, 2, 1000, std::nullopt, 2, 2, {}}, {2, 1, 2000, std::nullopt, 1, 0, {}}};
  reports[0].not_seen = {{"unknown_op", 2, "a::b", "m"}};
  reports[0].job.world_size = 2;
  addNccl(reports[0], 3);
  addNccl(reports[1], 5);
  for (Report& report : reports) {
    const Collective& row = report.collectives[1];
    report.members = {{1, row.module, row.bytes - 1, 4}, {1, "", 1, {}}};
    report.job.world_size = 2;
    report.groups[0].ranks = {0, 1};
    LastCollective& call = report.last.emplace_back();
    call.group = report.groups[0].name;
    call.sequence = 9;
    call.module = "Net";
    call.op = "c10d.broadcast_";
    call.kind = Kind::kBroadcast;
    call.bytes = report.job.rank == 1 ? 8 : 4;
  }
  JobReport job = jobOf(reports);
  job.problems = {"x.json: no \xff"};
  job.argv = {"python", "train.py", "--name=a b"};
  return job;
}

} // namespace commtap
