// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

const JobModule& moduleOf(const JobReport& job, const std::string& name) {
  for (const JobModule& module : job.modules) {
    if (module.name == name) {
      return module;
    }
  }
  throw std::runtime_error("no such module");
}

TEST_CASE("the tree has the job's amounts, exclusive and inclusive, and the spread of calls") {
  std::vector<Report> reports = sampleReports(4);
  for (Module& module : reports[2].modules) {
    module.calls[static_cast<size_t>(Phase::kForward)] *= 3;
  }
  const JobReport job = jobOf(reports);
  CHECK(job.modules[0].name == "Global");
  const JobModule& net1 = moduleOf(job, "DistributedDataParallel.net1");
  CHECK(job.modules[net1.parent].name == "DistributedDataParallel");
  CHECK(net1.depth == 2);
  CHECK(net1.own.at({Phase::kForward, Kind::kAllGather}) == Amount{8, 8192, 6144});
  CHECK(moduleOf(job, "DistributedDataParallel").inclusive.at({Phase::kForward, Kind::kAllGather}).count == 8);
  const auto& calls = moduleOf(job, "DistributedDataParallel").calls[static_cast<size_t>(Phase::kForward)];
  CHECK(calls.sum == 6);
  CHECK(calls.min == 1);
  CHECK(calls.max == 3);
  CHECK(calls.max_rank == 2);
}

TEST_CASE("a module of one pipeline stage has the ranks of that stage") {
  std::vector<Report> reports = sampleReports(4);
  for (const size_t rank : {2, 3}) {
    for (Module& module : reports[rank].modules) {
      module.name = module.name == "DistributedDataParallel.net2" ? "DistributedDataParallel.head" : module.name;
    }
  }
  const JobReport job = jobOf(reports);
  CHECK(job.rank_sets[moduleOf(job, "DistributedDataParallel.head").rank_set] == RankRanges{{2, 3}});
  CHECK(job.rank_sets[moduleOf(job, "DistributedDataParallel.net2").rank_set] == RankRanges{{0, 1}});
  CHECK(job.rank_sets[moduleOf(job, "DistributedDataParallel").rank_set] == RankRanges{{0, 3}});
}

TEST_CASE("processes of one rank are added up before ranks are compared") {
  const JobReport job = jobOf({sampleReport(0), sampleReport(0), sampleReport(1)});
  const auto& calls = moduleOf(job, "DistributedDataParallel").calls[static_cast<size_t>(Phase::kForward)];
  CHECK(calls.max == 2);
  CHECK(calls.max_rank == 0);
  CHECK(calls.min == 1);
}

} // namespace
} // namespace commtap
