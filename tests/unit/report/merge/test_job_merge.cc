// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_merge.h"

#include <doctest/doctest.h>

#include "report/model/work_end.h"
#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("a job has its facts, its rows with their spread, and its totals") {
  std::vector<Report> reports = sampleReports(4);
  rowOf(reports[2], "DistributedDataParallel.net1", Kind::kAllGather).bytes = 4096;
  const JobReport job = jobOf(reports);
  CHECK(job.run_id == "sample-run");
  CHECK(job.world_size == 4);
  CHECK(job.ranks == RankRanges{{0, 3}});
  CHECK(job.missing.empty());
  CHECK(job.started_at_ns == reports[0].job.started_at_ns);
  CHECK(job.ended_at_ns == reports[3].job.ended_at_ns);
  CHECK(job.torch_version == "2.13.0");
  const JobCollective& gather = rowOf(job, "DistributedDataParallel.net1", Kind::kAllGather);
  CHECK(gather.amount.ranks == 4);
  CHECK(gather.amount.count.sum == 8);
  CHECK(gather.amount.bytes.min == 2048);
  CHECK(gather.amount.bytes.max == 4096);
  CHECK(gather.amount.bytes.max_rank == 2);
  CHECK(job.groups[gather.group].name == "default_pg");
  CHECK(
      rowOf(job, "DistributedDataParallel", Kind::kAllReduce).lowered ==
      std::vector<std::string>{"c10d.allreduce_coalesced_"});
  REQUIRE(job.totals.size() == 3);
  uint64_t count = 0;
  for (const JobTotal& total : job.totals) {
    count += total.amount.count.sum;
  }
  CHECK(count == 16);
  CHECK(sumOf(job.groups[0].totals, {}, {}).count == 16);
  REQUIRE(job.processes.size() == 4);
  CHECK(job.processes[2].rank == 2);
  CHECK(job.processes[2].file == "rank-2.json");
  CHECK(job.processes[2].totals[static_cast<size_t>(Kind::kAllGather)].bytes == 4096);
  CHECK(job.disagreements_found == 1);
}

TEST_CASE("missing ranks are listed; not-seen counts are added up with their ranks") {
  std::vector<Report> reports = {sampleReport(1), sampleReport(3)};
  for (Report& report : reports) {
    report.not_seen = {{"unknown_op", 2, "first of " + std::to_string(*report.job.rank), "meaning"}};
  }
  const JobReport job = jobOf(reports);
  CHECK(job.missing == RankRanges{{0, 0}, {2, 2}});
  REQUIRE(job.not_seen.size() == 1);
  CHECK(job.not_seen[0].entry.count == 4);
  CHECK(job.not_seen[0].entry.detail == "first of 1");
  CHECK(job.not_seen[0].ranks == RankRanges{{1, 1}, {3, 3}});
}

TEST_CASE("processes of one rank are one rank; a process without a rank is a rank of its own") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(0), sampleReport(1), sampleReport(1)};
  CHECK(jobOf(reports).disagreements_found == 0);
  const JobReport twice = jobOf(reports);
  CHECK(rowOf(twice, "DistributedDataParallel", Kind::kAllReduce).amount.ranks == 2);
  CHECK(rowOf(twice, "DistributedDataParallel", Kind::kAllReduce).amount.count.min == 2);
  CHECK(twice.processes.size() == 4);
  reports[2].job.rank = reports[3].job.rank = std::nullopt;
  const JobReport unranked = jobOf(reports);
  CHECK(rowOf(unranked, "DistributedDataParallel", Kind::kAllReduce).amount.ranks == 3);
  CHECK_FALSE(rowOf(unranked, "DistributedDataParallel", Kind::kAllReduce).amount.count.min_rank);
  CHECK(rowOf(unranked, "DistributedDataParallel", Kind::kAllReduce).amount.count.max_rank == 0);
  CHECK(unranked.ranks == RankRanges{{0, 0}});
  CHECK(unranked.disagreements_found == 0);
}

TEST_CASE("a process without an end leaves the job without an end") {
  std::vector<Report> reports = sampleReports(2);
  reports[0].job.ended_at_ns = std::nullopt;
  CHECK_FALSE(jobOf(reports).ended_at_ns);
}

TEST_CASE("a job has the command line of its first process, and the last activity of each") {
  std::vector<Report> reports = sampleReports(2);
  reports[0].job.argv = {"python", "train.py"};
  reports[1].job.argv = {"python", "train.py", "--rank=1"};
  reports[1].job.ended_at_ns = std::nullopt;
  LastCollective call;
  call.issued_at_ns = reports[1].job.started_at_ns + 5000;
  reports[1].last = {call};
  reports[1].steps.clear();
  const JobReport job = jobOf(reports);
  CHECK(job.argv == std::vector<std::string>{"python", "train.py"});
  CHECK(job.processes[0].last_activity_ns == reports[0].job.ended_at_ns);
  CHECK(job.processes[1].last_activity_ns == call.issued_at_ns);
}

TEST_CASE("groups are sorted by bytes, rows by the module tree") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    report.groups.push_back({"7", "tp", "gloo", 2, {0, 1}});
    rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather).group = "7";
    rowOf(report, "Global", Kind::kBroadcast).group = "nowhere";
  }
  const JobReport job = jobOf(reports);
  REQUIRE(job.groups.size() == 3);
  CHECK(job.groups[0].name == "tp");
  CHECK(job.groups[1].name == "default_pg");
  CHECK(job.groups[2].name == "nowhere");
  CHECK(job.groups[2].members.empty());
  CHECK(job.collectives[0].module == "Global");
  CHECK(job.collectives[1].module == "DistributedDataParallel");
  CHECK(job.groups[rowOf(job, "DistributedDataParallel.net1", Kind::kAllGather).group].name == "tp");
}

TEST_CASE("NCCL calls are in the job, in the group of their collective") {
  const JobReport job = ncclJob();
  REQUIRE(job.nccl);
  REQUIRE(job.nccl->calls.size() == 2);
  const JobNcclCall& call = job.nccl->calls[0];
  CHECK(job.groups[call.group.value()].name == "default_pg");
  CHECK(job.rank_sets[call.rank_set] == RankRanges{{0, 3}});
  CHECK_FALSE(job.nccl->calls[1].group);
  CHECK_FALSE(sampleJob().nccl);
}

TEST_CASE("absurd numbers do no harm") {
  std::vector<Report> reports = sampleReports(2);
  reports[0].job.rank = INT64_MIN;
  reports[1].job.rank = INT64_MAX;
  reports[1].job.world_size = INT64_MAX;
  rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce).bytes = UINT64_MAX;
  CHECK(jobOf(reports).processes.size() == 2);
}

Collective rowIn(const std::string& group, uint64_t bytes) {
  Collective row;
  row.module = "M";
  row.group = group;
  row.kind = Kind::kAllReduce;
  row.phase = Phase::kForward;
  row.count = 1;
  row.bytes = bytes;
  row.bus_bytes = static_cast<double>(bytes);
  return row;
}

TEST_CASE("groups with one description are one group; others keep PyTorch's name") {
  Report report;
  report.groups = {
      {"1", "tp", "gloo", 2, {1, 0}},
      {"2", "tp", "gloo", 2, {2, 3}},
      {"3", "undefined", "gloo", 2, {}},
      {"4", "", "gloo", 2, {}}};
  report.collectives = {rowIn("1", 1), rowIn("2", 2), rowIn("3", 100), rowIn("4", 50), rowIn("?", 7)};
  const std::vector<JobGroup> groups = mergedJob({&report}).groups;
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].name == "3");
  CHECK(groups[1].name == "4");
  CHECK(groups[2].name == "?");
  CHECK(groups[2].size == 0);
  CHECK(groups[3].name == "tp");
  CHECK(groups[3].members == std::vector<std::vector<uint32_t>>{{0, 1}, {2, 3}});
  CHECK(sumOf(groups[3].totals, {}, {}).bytes == 3);
}

TEST_CASE("the last activity is the newest event of a report") {
  Report report;
  report.job.started_at_ns = 10;
  CHECK(lastActivityNs(report) == 10);
  report.steps.push_back({.started_at_ns = 20});
  CHECK(lastActivityNs(report) == 20);
  report.last.push_back({.issued_at_ns = 30, .completed_at_ns = 50});
  report.last.push_back({.issued_at_ns = 40});
  CHECK(lastActivityNs(report) == 50);
  report.job.ended_at_ns = 60;
  CHECK(lastActivityNs(report) == 60);
  CHECK(lastEventNs(report) == 50);
  CHECK(lastEventNs(report, 45) == 40);
  CHECK(lastEventNs(report, 5) == 10);
  report.job.exit = ExitKind::kKilled; // `ended_at` is the time of the launcher's signal
  CHECK(lastActivityNs(report) == 50);
}

} // namespace
} // namespace commtap
