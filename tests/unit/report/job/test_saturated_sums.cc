// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

constexpr uint64_t kHalf = 1ULL << 63U;

using Names = std::vector<std::string>;

TEST_CASE("a job whose sums fit has none to name") {
  CHECK(saturatedSums(sampleJob()).empty());
  CHECK(saturatedSums(ncclJob()).empty());
}

TEST_CASE("each saturated sum is named once") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    report.collectives.at(0).count = kHalf;
    report.modules.at(1).calls[0] = kHalf;
    report.steps.at(0).collectives.at(0).count = kHalf;
    report.steps.at(0).collectives.at(0).exposed_ns = kHalf;
    report.collectives.at(1).time.durations[static_cast<size_t>(DurationKind::kRunning)] = {2, kHalf, 1, kHalf, {}};
    addNccl(report, kHalf);
    report.not_seen = {{"no_torch", kHalf, "", ""}};
  }
  const Names names = saturatedSums(jobOf(reports));
  const Names expected = {
      "count",
      "a module's calls",
      "NCCL calls",
      "a step's count",
      "a step's exposed_ns",
      "collectives' running_ns",
      "not_seen"};
  CHECK(names == expected);
}

TEST_CASE("the rows that a table adds up are added up") {
  std::vector<Report> reports = sampleReports(1);
  std::vector<StepAmount>& amounts = reports[0].steps.at(0).collectives;
  amounts.resize(1);
  amounts[0].bytes = kHalf;
  amounts.push_back(amounts[0]);
  amounts[1].kind = amounts[0].kind == Kind::kBarrier ? Kind::kAllReduce : Kind::kBarrier;
  CHECK(saturatedSums(jobOf(reports)) == Names{"a step's bytes"});
}

TEST_CASE("the line names the source and the number") {
  CHECK(
      saturatedLine("out", "count") ==
      "out: the sum of count is more than 18446744073709551615 and is given as this number");
}

} // namespace
} // namespace commtap
