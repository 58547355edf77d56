// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/rank_metrics.h"

#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("modules below the depth map to their ancestor at the depth") {
  const Report report = sampleReport(0);
  const std::string net1 = report.modules.at(3).name;
  CHECK(ModuleDepth(report, std::nullopt).cut(net1) == net1);
  CHECK(ModuleDepth(report, 2).cut(net1) == net1);
  CHECK(ModuleDepth(report, 1).cut(net1) == "DistributedDataParallel");
  CHECK(ModuleDepth(report, 0).cut(net1) == "Global");
  CHECK(ModuleDepth(report, 1).cut("unknown") == "unknown");
}

TEST_CASE("a rank's metrics outlive its reports, and sum its processes") {
  SeriesLimit limit(100);
  RankMetrics metrics(MetricLabels().with({{"rank", "0"}}), limit);
  for (const uint64_t pid : {7, 8}) {
    Report report = sampleReport(0);
    report.job.pid = pid;
    report.not_seen = {{"unknown_op", 2, "", ""}};
    metrics.add(report, std::nullopt);
  }
  Exposition exposition;
  CHECK(metrics.addTo(exposition) == 0);
  CHECK(exposition.samples(MetricId::kProcess).size() == 2);
  CHECK(exposition.samples(MetricId::kProcessExit).at(0).value == "2");
  CHECK(exposition.samples(MetricId::kNotSeen).at(0).value == "4");
  CHECK_FALSE(exposition.samples(MetricId::kProcessEnd).empty());
}

TEST_CASE("a rank with a process that runs has no end") {
  SeriesLimit limit(100);
  RankMetrics metrics(MetricLabels().with({{"rank", "0"}}), limit);
  Report report = sampleReport(0);
  metrics.add(report, std::nullopt);
  report.job.exit = ExitKind::kRunning;
  report.job.ended_at_ns.reset();
  metrics.add(report, std::nullopt);
  Exposition exposition;
  metrics.addTo(exposition);
  CHECK(exposition.samples(MetricId::kProcessRunning).at(0).value == "1");
  CHECK(exposition.samples(MetricId::kProcessEnd).empty());
  CHECK(exposition.samples(MetricId::kProcess).size() == 1); // the same process
}

} // namespace

} // namespace commtap
