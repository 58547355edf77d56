// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/plan_merge.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "report/merge/job_merge.h"
#include "report/merge/job_reader.h"
#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

using Ranks = std::vector<uint32_t>;

/// A mesh of 2 x 4 ranks in order: rank 0 represents the first line, rank 4 for itself, rank 5 for the rest.
constexpr const char* kMesh =
    R"({"mesh": {"shape": [2, 4], "ranks": [0, 1, 2, 3, 4, 5, 6, 7]},
        "standing": {"0": [0, 1, 2, 3], "4": [4], "5": [5, 6, 7]}})";

Group groupOf(Ranks ranks) {
  Group group;
  group.size = static_cast<uint32_t>(ranks.size());
  group.ranks = std::move(ranks);
  return group;
}

Ranks moved(const PlanRanks& ranks, Ranks members, int64_t planned, int64_t rank) {
  return ranks.groupsFor({groupOf(std::move(members))}, planned, rank)[0].ranks;
}

TEST_CASE("the planner's file says which rank represents which") {
  const Result<PlanRanks> ranks = PlanRanks::fromJson(kMesh);
  REQUIRE(ranks);
  CHECK(ranks->standing().size() == 8);
  CHECK(ranks->standing().at(3) == 0);
  CHECK(ranks->standing().at(4) == 4);
  CHECK(ranks->standing().at(7) == 5);
}

TEST_CASE("a damaged file of the planner is an error") {
  for (const char* text :
       {"",
        "{}",
        R"({"mesh": {"shape": [3], "ranks": [0, 1]}, "standing": {}})",
        R"({"mesh": {"shape": [2], "ranks": [0, 9]}, "standing": {}})",
        R"({"mesh": {"shape": [1], "ranks": [0]}, "standing": {"x": [0]}})"}) {
    CHECK_FALSE(PlanRanks::fromJson(text));
  }
}

TEST_CASE("a group along a dimension moves with the rank, and keeps that dimension") {
  const Result<PlanRanks> ranks = PlanRanks::fromJson(kMesh);
  REQUIRE(ranks);
  CHECK(moved(*ranks, {0, 1, 2, 3}, 0, 2) == Ranks{0, 1, 2, 3});
  CHECK(moved(*ranks, {0, 1, 2, 3}, 0, 6) == Ranks{4, 5, 6, 7});
  CHECK(moved(*ranks, {0, 4}, 0, 3) == Ranks{3, 7});
  CHECK(moved(*ranks, {1, 5}, 5, 7) == Ranks{3, 7});
  CHECK(moved(*ranks, {0, 1, 2, 3, 4, 5, 6, 7}, 0, 5) == Ranks{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("a group that all ranks make is the job's, whatever the mesh") {
  const Result<PlanRanks> ranks = PlanRanks::fromJson(
      R"({"mesh": {"shape": [4], "ranks": [0, 1, 2, 3]}, "standing": {"0": [0, 1, 2, 3]},
          "groups": [["tp0", [0, 1]], ["tp1", [2, 3]]]})");
  REQUIRE(ranks);
  Group group = groupOf({0, 1});
  group.desc = "tp0";
  const Group other = ranks->groupsFor({group}, 0, 3)[0];
  CHECK(other.ranks == Ranks{2, 3});
  CHECK(other.desc == "tp1");
  CHECK(ranks->groupsFor({group}, 0, 1)[0].desc == "tp0");
}

/// Returns a report of rank 0 of a planned job.
Report plannedReport() {
  Report report = sampleReport(0);
  report.job.planned = true;
  report.collectives[0].splits = {2, {1.5, 2}, 3, 0, 1, {{0, 1}, {3, 9}}};
  return report;
}

/// Writes the plan of sampleReport()'s job of 4 ranks, in which rank 0 represents all.
PlanRanks writePlan(const TempFolder& folder) {
  std::filesystem::create_directories(folder / "ranks/0");
  writeText(folder / "ranks/0/rank-0.json", reportToJson(plannedReport()));
  return *PlanRanks::fromJson(R"({"mesh": {"shape": [4], "ranks": [0, 1, 2, 3]}, "standing": {"0": [0, 1, 2, 3]}})");
}

TEST_CASE("the plan of a job has the numbers of each rank that a planned one represents") {
  const TempFolder folder;
  const PlanRanks ranks = writePlan(folder);
  const Result<JobReport> job = mergePlan(folder.path(), ranks);
  REQUIRE(job);
  CHECK(job->planned);
  CHECK(job->ranks == RankRanges{{0, 3}});
  CHECK(job->missing.empty());
  CHECK(job->disagreements.empty());
  REQUIRE(job->processes.size() == 1);
  CHECK(job->processes[0].rank == 0);
  const Report report = plannedReport();
  const JobReport single = mergedJob({&report});
  REQUIRE(job->collectives.size() == single.collectives.size());
  for (size_t i = 0; i < job->collectives.size(); ++i) {
    CHECK(job->collectives[i].amount.ranks == 4);
    CHECK(job->collectives[i].amount.bytes.sum == 4 * single.collectives[i].amount.bytes.sum);
    CHECK(job->collectives[i].splits.calls == 4 * single.collectives[i].splits.calls);
    CHECK(job->collectives[i].splits.imbalance == single.collectives[i].splits.imbalance);
    CHECK(job->collectives[i].splits.peers.empty());
    CHECK_FALSE(job->collectives[i].splits.hottest_peer);
  }
}

TEST_CASE("the folder of a plan is read as the plan of all ranks, and as one rank if that is selected") {
  const TempFolder folder;
  const PlanRanks ranks = writePlan(folder);
  CHECK(planIn(folder.path()).empty());
  writeText(folder / kPlanFile, jobReportToJson(*mergePlan(folder.path(), ranks)));
  CHECK(planIn(folder.path()) == folder / kPlanFile);
  const Result<JobReport> all = readJob(folder.path(), {}, {});
  REQUIRE(all);
  CHECK(all->planned);
  CHECK(all->ranks == RankRanges{{0, 3}});
  const Result<JobReport> one = readJob(folder.path(), {.rank = 0}, {});
  REQUIRE(one);
  CHECK(one->ranks == RankRanges{{0, 0}});
}

TEST_CASE("the reports before the last step are merged by their own names") {
  const TempFolder folder;
  const PlanRanks ranks = writePlan(folder);
  CHECK_FALSE(mergeBeforeLast(folder.path(), ranks));
  std::filesystem::create_directories(folder / "plan");
  writeText(folder / "plan/rank-0.before", reportToJson(plannedReport()));
  const Result<JobReport> before = mergeBeforeLast(folder.path(), ranks);
  REQUIRE(before);
  CHECK(before->ranks == RankRanges{{0, 3}});
}

using Ranks = std::vector<uint32_t>;

Group groupOf(std::string desc, Ranks ranks) {
  Group group;
  group.desc = std::move(desc);
  group.ranks = std::move(ranks);
  return group;
}

/// Pairs of tensor parallel ranks, which are trainers 0-3 and a rollout 4-5, and the trainers' data parallel groups.
PlannedGroups groupsOfJob() {
  return PlannedGroups({
      {"tp_0", {0, 1}},
      {"tp_1", {2, 3}},
      {"tp_2", {4, 5}},
      {"dp", {0, 2}},
      {"dp", {1, 3}},
      {"", {0, 1}},
      {"", {2, 3}},
      {"", {0, 1}},
      {"", {2, 3}},
  });
}

TEST_CASE("a group of another rank is the one of the same name and steps") {
  const PlannedGroups groups = groupsOfJob();
  const PlannedGroup* tensor = groups.like(groupOf("tp_0", {0, 1}), 0, 5);
  REQUIRE(tensor != nullptr);
  CHECK(tensor->desc == "tp_2");
  CHECK(tensor->ranks == Ranks{4, 5});
  const PlannedGroup* data = groups.like(groupOf("dp", {0, 2}), 0, 3);
  REQUIRE(data != nullptr);
  CHECK(data->ranks == Ranks{1, 3});
}

TEST_CASE("of groups that are alike, it is the one in the same place") {
  const PlannedGroups groups({{"", {0, 1}}, {"", {2, 3}}, {"", {0, 1}}, {"", {2, 3}}, {"first", {0, 1}}});
  const PlannedGroup* found = groups.like(groupOf("undefined", {0, 1}), 0, 3);
  REQUIRE(found != nullptr);
  CHECK(found->ranks == Ranks{2, 3});
  CHECK(groups.like(groupOf("first", {0, 1}), 0, 3) == nullptr);
}

TEST_CASE("a group that is not known, or that the rank has none like, is not found") {
  const PlannedGroups groups = groupsOfJob();
  CHECK(groups.like(groupOf("cp", {0, 1}), 0, 2) == nullptr);
  CHECK(groups.like(groupOf("dp", {0, 2}), 0, 4) == nullptr);
  CHECK(groups.like(groupOf("dp", {0, 1}), 0, 2) == nullptr);
  CHECK(groups.like(groupOf("dp", {}), 0, 2) == nullptr);
  CHECK(PlannedGroups().like(groupOf("dp", {0, 2}), 0, 1) == nullptr);
}

} // namespace
} // namespace commtap
