// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_summary.h"

#include <doctest/doctest.h>

#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

TEST_CASE("ranks are formatted as ranges") {
  CHECK(rankText(rankRanges({3, 1, 0, 2, 7, 7})) == "0-3, 7");
  CHECK(rankText(rankRanges({})).empty());
  CHECK(rankText(rankRanges({INT64_MIN, INT64_MAX})).size() > 10);
  std::vector<int64_t> odd;
  for (int64_t rank = 1; rank < 1000; rank += 2) {
    odd.push_back(rank);
  }
  CHECK(rankText(rankRanges(odd)).ends_with(", 31, ..."));
}

TEST_CASE("missing ranks are found against the world size") {
  const JobReport some = jobOf(std::vector<Report>{sampleReport(1), sampleReport(2)});
  CHECK(some.world_size == 4);
  CHECK(countOf(some.ranks) == 2);
  CHECK(rankText(some.missing) == "0, 3");
  std::vector<Report> all = {sampleReport(0), sampleReport(1), sampleReport(2), sampleReport(3)};
  CHECK(jobOf(all).missing.empty());
  all[3].job.rank = std::nullopt;
  CHECK(rankText(jobOf(all).missing) == "3");
  CHECK(unrankedOf(jobOf(all)) == 1);
  for (Report& report : all) {
    report.job.world_size = std::nullopt;
  }
  CHECK(jobOf(all).missing.empty());
}

TEST_CASE("absurd numbers in a report do no harm") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1)};
  reports[0].job.rank = INT64_MAX;
  reports[1].job.rank = INT64_MIN;
  reports[0].job.world_size = INT64_MAX;
  CHECK_FALSE(jobOf(reports).missing.empty());
  reports[0].job.world_size = reports[1].job.world_size = -5;
  CHECK(jobOf(reports).missing.empty());
}

TEST_CASE("exits and not-seen entries are grouped with their ranks") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1), sampleReport(2)};
  reports[1].job.exit = reports[2].job.exit = ExitKind::kKilled;
  reports[0].not_seen = {{"unknown_op", 2, "a::b", "m"}};
  reports[2].not_seen = {{"unknown_op", 3, "c::d", "m"}, {"modules_full", 1, "", "m"}};
  const JobReport job = jobOf(reports);
  const std::vector<ExitSummary> exits = exitsOf(job);
  REQUIRE(exits.size() == 2);
  CHECK(exits[1].exit == ExitKind::kKilled);
  CHECK(rankText(exits[1].ranks) == "1-2");
  REQUIRE(job.not_seen.size() == 2);
  CHECK(job.not_seen[0].entry.count == 5);
  CHECK(job.not_seen[0].entry.detail == "a::b");
  CHECK(rankText(job.not_seen[0].ranks) == "0, 2");
}

TEST_CASE("the job's time is from the first start to the last end, unless one has no end") {
  std::vector<Report> reports = {sampleReport(0), sampleReport(1)};
  reports[1].job.ended_at_ns = *reports[0].job.ended_at_ns + 5;
  CHECK(jobOf(reports).started_at_ns == reports[0].job.started_at_ns);
  CHECK(jobOf(reports).ended_at_ns == reports[1].job.ended_at_ns);
  reports[0].job.ended_at_ns = std::nullopt;
  CHECK_FALSE(jobOf(reports).ended_at_ns);
}

TEST_CASE("the union of ranks is in order, and neighbours are one range") {
  CHECK(rangesText(unionOf({{4, 7}}, {{0, 3}, {9, 9}})) == "0-7,9");
  CHECK(rangesText(unionOf({{0, 8}}, {{2, 3}})) == "0-8");
  CHECK(unionOf({}, {}).empty());
}

TEST_CASE("ranks that are in both sets, and in the first only") {
  const RankRanges some = {{0, 3}, {6, 9}};
  CHECK(rangesText(intersectionOf(some, {{2, 7}})) == "2-3,6-7");
  CHECK(rangesText(differenceOf(some, {{2, 7}})) == "0-1,8-9");
  CHECK(rangesText(differenceOf(some, {{1, 1}, {3, 3}})) == "0,2,6-9");
  CHECK(differenceOf(some, {{0, 9}}).empty());
  CHECK(differenceOf(some, {}) == some);
  CHECK(intersectionOf(some, {{4, 5}}).empty());
}

TEST_CASE("the ranks of several rows count once, and so do processes without a rank") {
  RankUnion both;
  both.add({{0, 1}}, 2);
  both.add({{0, 1}}, 2);
  both.add({{1, 3}}, 3);
  CHECK(both.count() == 4);
  CHECK(rangesText(both.ranks()) == "0-3");
  RankUnion unranked;
  unranked.add({}, 2);
  unranked.add({}, 1);
  CHECK(unranked.count() == 2);
}

} // namespace
} // namespace commtap
