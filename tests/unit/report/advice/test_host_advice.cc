// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <doctest/doctest.h>

#include "tests/unit/report/advice/advice_samples.h"

namespace commtap {
namespace {

TEST_CASE("a group over two hosts that fits into one is named, and not in a plan") {
  AdvisedJob jobs(4);
  for (size_t rank = 0; rank < 4; ++rank) {
    Report& report = jobs.report(rank);
    report.job.host = rank < 2 ? "a" : "b";
    report.groups[0].size = 2;
    report.groups[0].ranks = rank % 2 == 0 ? std::vector<uint32_t>{0, 2} : std::vector<uint32_t>{1, 3};
    jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB, rank);
  }
  CHECK(jobs.rules() == Rules{"group_across_hosts"});
  jobs.report(0).job.planned = true;
  CHECK(jobs.rules().empty());
}

TEST_CASE("a group inside of hosts that communicates more has the better place") {
  AdvisedJob jobs(4);
  for (uint32_t rank = 0; rank < 4; ++rank) {
    Report& report = jobs.report(rank);
    report.job.host = rank < 2 ? "a" : "b";
    Group inside = report.groups[0];
    report.groups[0].size = 2;
    report.groups[0].ranks = rank % 2 == 0 ? std::vector<uint32_t>{0, 2} : std::vector<uint32_t>{1, 3};
    inside.name = inside.desc = "inside";
    inside.size = 2;
    inside.ranks = rank < 2 ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{2, 3};
    report.groups.push_back(inside);
    jobs.add(kLayer, Phase::kForward, Kind::kAllReduce, 1, kMiB, rank);
    jobs.add(kNextLayer, Phase::kForward, Kind::kAllReduce, 2, 2 * kMiB, rank).group = "inside";
  }
  CHECK(jobs.rules().empty());
  for (uint32_t rank = 0; rank < 4; ++rank) {
    jobs.report(rank).collectives[0].bytes *= 3;
  }
  CHECK(jobs.rules() == Rules{"group_across_hosts"});
}

} // namespace
} // namespace commtap
