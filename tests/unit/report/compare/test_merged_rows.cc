// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/merged_rows.h"

#include <doctest/doctest.h>

#include <optional>

#include "report/compare/job_diff.h"
#include "report/job/job_report.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Returns a job of one rank with two gathers of 8 bytes in Net.a and one of 16 in Net.b.
JobReport eagerJob() {
  Report report = sampleReport(0);
  const Collective sample = report.collectives[0];
  report.collectives.clear();
  report.steps.clear();
  for (const auto& [module, count, bytes] : {std::tuple("Net.a", 2, 16), std::tuple("Net.b", 1, 16)}) {
    Collective row = sample;
    row.module = module;
    row.kind = Kind::kAllGather;
    row.count = static_cast<uint64_t>(count);
    row.bytes = static_cast<uint64_t>(bytes);
    report.collectives.push_back(row);
    report.modules.push_back(report.modules.back());
    report.modules.back().name = module;
  }
  return jobOf({report});
}

/// Returns the same job with its gathers merged into one call of Net.
JobReport bucketedJob(uint64_t gathers_of_b = 1) {
  JobReport job = eagerJob();
  job.collectives.resize(1);
  JobCollective& row = job.collectives[0];
  row.module = "Net";
  row.amount.count.sum = 1;
  row.amount.bytes.sum = 32;
  row.members = {{"Net.a", 16, 2}, {"Net.b", 16, gathers_of_b}};
  return job;
}

TEST_CASE("a row of parameters is not merged") {
  JobCollective row;
  CHECK_FALSE(isMerged(row));
  row.members = {{"Net.a", 16, {}}, {"", 16, {}}};
  CHECK_FALSE(isMerged(row));
  row.members = {{"Net.a", 16, 2}};
  CHECK(isMerged(row));
}

TEST_CASE("a job and its bucketed self compare as the same, and a note names the buckets") {
  const auto [before, after] = comparableCells(eagerJob(), bucketedJob());
  CHECK(changesBetween(before, after, std::nullopt, {}).empty());
  const MergedDifference difference = mergedDifference(eagerJob(), bucketedJob());
  CHECK(difference.rows == 1);
  REQUIRE(difference.notes.size() == 1);
  CHECK(
      difference.notes[0].find("1 row is bucketed and compared by members: 1 calls of all ranks instead of 3") !=
      std::string::npos);
}

TEST_CASE("a bucket with more in it is a change") {
  const auto [before, after] = comparableCells(eagerJob(), bucketedJob(2));
  const auto changes = changesBetween(before, after, std::nullopt, {});
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].key.module == "Net.b");
}

TEST_CASE("two jobs with the same buckets do not differ in them") {
  CHECK(mergedDifference(bucketedJob(), bucketedJob()).rows == 0);
  CHECK(mergedDifference(bucketedJob(), bucketedJob()).notes.empty());
}

} // namespace
} // namespace commtap
