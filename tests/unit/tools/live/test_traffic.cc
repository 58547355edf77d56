// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/job_look.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tests/unit/live_samples.h"

namespace commtap {
namespace {

TEST_CASE("traffic is summed over processes by kind, group and module, and by run") {
  const Traffic traffic = trafficOf(liveOf(sampleReports(2)).reports);
  CHECK(traffic.by_kind.at({"sample-run", "all_reduce"}).count == 2);
  CHECK(traffic.by_kind.at({"sample-run", "all_reduce"}).bytes == 640);
  CHECK(traffic.by_group.contains({"sample-run", "default_pg"}));
  CHECK(traffic.by_module.at({"sample-run", "DistributedDataParallel"}).count == 2);
  uint64_t by_kind = 0;
  uint64_t by_module = 0;
  for (const auto& [name, sums] : traffic.by_kind) {
    by_kind += sums.bytes;
  }
  for (const auto& [name, sums] : traffic.by_module) {
    by_module += sums.bytes;
  }
  CHECK(by_kind == by_module);
}

TEST_CASE("a process with several timed rows counts once among the timed ones") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    report.job.timing.every = 1;
    for (Collective& row : report.collectives) {
      row.time.durations[static_cast<size_t>(DurationKind::kExposed)] = {row.count, 1000, 0, 0, {}};
    }
  }
  for (const auto& [name, sums] : trafficOf(liveOf(reports).reports).by_group) {
    CHECK(sums.timed == 2);
    CHECK(sums.exposed_ns > 0);
  }
}

TEST_CASE("a run's name has its attempt; a process without a run ID is its own run") {
  Job job;
  job.pid = 17;
  CHECK(runName(job) == "pid 17");
  job.run_id = "x";
  CHECK(runName(job) == "x");
  job.attempt = 2;
  CHECK(runName(job) == "x attempt 2");
}

} // namespace
} // namespace commtap
