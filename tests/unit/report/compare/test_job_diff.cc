// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/job_diff.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "report/compare/change_bundle.h"
#include "report/merge/job_reader.h"
#include "tests/unit/job_samples.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("cellsOf returns means per rank, summed over ops and dtypes") {
  std::vector<Report> reports = sampleReports(4);
  Collective other = rowOf(reports[0], "DistributedDataParallel.net1", Kind::kAllGather);
  other.op = "c10d.allgather_";
  for (const size_t rank : {0, 1}) {
    reports[rank].collectives.push_back(other);
  }
  const Cells cells = cellsOf(jobOf(reports));
  const PerRank& gather = cells.at({"DistributedDataParallel.net1", Phase::kForward, Kind::kAllGather, "default_pg"});
  CHECK(gather.ranks == 4);
  CHECK(gather.count == 3);
  CHECK(gather.bytes == 3072);
}

TEST_CASE("the mean of a pipeline stage's module is over the ranks of that stage") {
  std::vector<Report> reports = sampleReports(4);
  rowOf(reports[0], "DistributedDataParallel.net1", Kind::kAllGather).module = "DistributedDataParallel.first";
  const Cells cells = cellsOf(jobOf(reports));
  CHECK(cells.at({"DistributedDataParallel.first", Phase::kForward, Kind::kAllGather, "default_pg"}).ranks == 1);
  CHECK(cells.at({"DistributedDataParallel.first", Phase::kForward, Kind::kAllGather, "default_pg"}).count == 2);
  CHECK(perRankByGroup(jobOf(reports)).at("default_pg").count == 4);
  CHECK(perRankByKind(jobOf(reports)).at("all_gather").count == 2);
  CHECK(perRankByPhase(jobOf(reports)).at("forward").count == 2);
}

TEST_CASE("a cell says whether its mean is that of each rank that has it") {
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    report.job.world_size = 4;
  }
  const CellKey key{"DistributedDataParallel.net1", Phase::kForward, Kind::kAllGather, "default_pg"};
  PerRank cell = cellsOf(jobOf(reports)).at(key);
  CHECK(cell.of == 4);
  CHECK_FALSE(cell.is_uneven);
  for (Collective& row : reports[2].collectives) {
    row.count += row.kind == Kind::kAllGather ? 1 : 0;
  }
  cell = cellsOf(jobOf(reports)).at(key);
  CHECK(cell.is_uneven);
}

TEST_CASE("ranks that make as many calls of different kinds have an even total of their module") {
  std::vector<Report> reports = sampleReports(4);
  const auto isEven = [&] {
    const JobReport job = jobOf(reports);
    return !totalsByModule(cellsOf(job), {"DistributedDataParallel.net1"}, 0).begin()->second.is_uneven;
  };
  CHECK(isEven());
  Collective& row = rowOf(reports[1], "DistributedDataParallel.net1", Kind::kAllGather);
  row.kind = Kind::kBroadcast;
  CHECK(isEven());
  row.count += 1;
  CHECK_FALSE(isEven());
}

TEST_CASE("the sum of a cell's rows stays at the largest number") {
  std::vector<Report> reports = sampleReports(1);
  Collective& row = rowOf(reports[0], "DistributedDataParallel", Kind::kAllReduce);
  row.count = row.bytes = 1ULL << 63U;
  reports[0].collectives.push_back(row);
  reports[0].collectives.back().op = "other";
  const Cells cells = cellsOf(jobOf(reports));
  const auto largest = std::max_element(
      cells.begin(), cells.end(), [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  CHECK(largest->second.count == doctest::Approx(0x1p64));
  CHECK(largest->second.bytes == doctest::Approx(0x1p64));
}

TEST_CASE("equal runs have no changes; one more call is a change") {
  const Cells before = cellsOf(sampleJob());
  CHECK(changesBetween(before, before, std::nullopt, {}).empty());
  const auto changes = changesBetween(before, cellsOf(grownJob()), std::nullopt, {});
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].key.module == "DistributedDataParallel.net1");
  CHECK(changes[0].change.countDelta() == 1);
  CHECK(changes[0].change.bytesDelta() == 1024);
  CHECK(changes[0].change.grew());
}

TEST_CASE("a tolerated difference is not a change") {
  const Cells before = cellsOf(sampleJob());
  const Cells after = cellsOf(grownJob());
  const auto tolerated = [&](const std::string& rule) {
    return changesBetween(before, after, std::nullopt, {*parseTolerance(rule)}).empty();
  };
  CHECK(tolerated("count=1,bytes=50%"));
  CHECK(tolerated("count=50%,bytes=1024"));
  CHECK_FALSE(tolerated("count=1,bytes=49%"));
  CHECK_FALSE(tolerated("count=0.9,bytes=50%"));
  CHECK_FALSE(tolerated("module=DistributedDataParallel,count=1,bytes=50%"));
  CHECK(tolerated("module=DistributedDataParallel.*,count=1,bytes=50%"));
}

TEST_CASE("runs with missing ranks or another world size are comparable") {
  const JobReport all = sampleJob();
  const JobReport some = jobOf({sampleReport(1), sampleReport(3)});
  CHECK(changesBetween(cellsOf(all), cellsOf(some), comparedRanks(all, some), {}).empty());
}

TEST_CASE("changes are sorted by growth in bytes; new and gone rows have 0 ranks on one side") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    rowOf(report, "DistributedDataParallel", Kind::kAllReduce).module = "DistributedDataParallel.net2";
    rowOf(report, "Global", Kind::kBroadcast).bytes += 1;
  }
  const auto changes = changesBetween(cellsOf(jobOf(sampleReports(2))), cellsOf(jobOf(reports)), std::nullopt, {});
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].key.module == "DistributedDataParallel.net2");
  CHECK(changes[0].change.before.ranks == 0);
  CHECK(changes[1].key.module == "Global");
  CHECK(changes[2].key.module == "DistributedDataParallel");
  CHECK(changes[2].change.after.ranks == 0);
}

TEST_CASE("labels are compared one by one") {
  std::vector<Report> reports = sampleReports(1);
  Collective other = rowOf(reports[0], "Global", Kind::kBroadcast);
  rowOf(reports[0], "Global", Kind::kBroadcast).label = "weights";
  other.label = "val_metric";
  reports[0].collectives.push_back(other);
  JobReport before = jobOf(reports);
  rowOf(reports[0], "Global", Kind::kBroadcast).count += 1;
  reports[0].collectives.back().count += 1;
  const JobReport after = jobOf(reports);
  const auto changed = [&] {
    const auto [cells_before, cells_after] = comparableCells(before, after);
    std::vector<std::string> labels;
    for (const ChangeBundle& each : bundle(changesBetween(cells_before, cells_after, std::nullopt, {}))) {
      labels.push_back(each.first.label);
    }
    return labels;
  };
  CHECK(changed() == std::vector<std::string>{"val_metric", "weights"});
  before.collectives.front().setup = true; // gone, and new as no set-up
  CHECK(changed() == std::vector<std::string>{"val_metric", "weights", "val_metric"});
  CHECK(cellsOf(after).at({"Global", Phase::kOther, Kind::kBroadcast, "default_pg"}).count == 4);
}

/// Removes a row from the ranks from `first` on.
JobReport without(const char* module, Kind kind, size_t first) {
  std::vector<Report> reports = sampleReports(4);
  for (size_t rank = first; rank < reports.size(); ++rank) {
    std::erase_if(
        reports[rank].collectives, [&](const Collective& row) { return row.module == module && row.kind == kind; });
  }
  return jobOf(reports);
}

TEST_CASE("a row that half of the ranks no longer have is a change, although each rank that has it has as much") {
  const JobReport before = sampleJob();
  const JobReport after = without("DistributedDataParallel.net1", Kind::kAllGather, 2);
  const auto changes = [](const JobReport& from, const JobReport& to, const std::vector<Tolerance>& rules) {
    return changesBetween(cellsOf(from), cellsOf(to), comparedRanks(from, to), rules);
  };
  const auto fewer = changes(before, after, {});
  REQUIRE(fewer.size() == 1);
  const Change& change = fewer[0].change;
  CHECK(change.countDelta() == 0);
  CHECK(change.bytesDelta() == 0);
  CHECK(rangesText(change.lost) == "2-3");
  CHECK(change.gained.empty());
  CHECK(change.isLess());
  CHECK_FALSE(change.grew());
  const auto more = changes(after, before, {});
  REQUIRE(more.size() == 1);
  CHECK(rangesText(more[0].change.gained) == "2-3");
  CHECK(more[0].change.grew());
  CHECK_FALSE(more[0].change.isLess());
  CHECK(changes(before, after, {*parseTolerance("ranks=2")}).empty());
  CHECK(changes(before, after, {*parseTolerance("ranks=50%")}).empty());
  CHECK(changes(before, after, {*parseTolerance("ranks=1,count=9")}).size() == 1);
}

TEST_CASE("ranks are compared among those that have a report in both runs, and not between other world sizes") {
  const JobReport before = sampleJob();
  JobReport after = without("DistributedDataParallel.net1", Kind::kAllGather, 2);
  CHECK(comparedRanks(before, after) == RankRanges{{0, 3}});
  after.ranks = {{0, 1}};
  CHECK(comparedRanks(before, after) == RankRanges{{0, 1}});
  CHECK(changesBetween(cellsOf(before), cellsOf(after), comparedRanks(before, after), {}).empty());
  after.ranks = {{0, 3}};
  after.world_size = 8;
  CHECK_FALSE(comparedRanks(before, after));
  CHECK(changesBetween(cellsOf(before), cellsOf(after), std::nullopt, {}).empty());
}

TEST_CASE("a module's total is per rank that has any of its rows") {
  Cells cells;
  cells[{"Pipe", Phase::kForward, Kind::kSend, "pp"}] = {1, 5, 5120, {{0, 0}}, 5, 5120};
  cells[{"Pipe", Phase::kForward, Kind::kRecv, "pp"}] = {1, 5, 5120, {{1, 1}}, 5, 5120};
  cells[{"Other", Phase::kForward, Kind::kRecv, "pp"}] = {1, 5, 5120, {{1, 1}}, 5, 5120};
  const Cells totals = totalsByModule(cells, {"Pipe"});
  REQUIRE(totals.size() == 1);
  const PerRank& pipe = totals.begin()->second;
  CHECK(pipe.ranks == 2);
  CHECK(pipe.count == 5);
  CHECK(pipe.bytes == 5120);
  CHECK(rangesText(pipe.on) == "0-1");
}

TEST_CASE("processes without a rank are ranks of the job") {
  std::vector<Report> reports = sampleReports(2);
  for (Report& report : reports) {
    report.job.rank = std::nullopt;
  }
  CHECK(perRankByKind(jobOf(reports)).at("all_gather").count == 2);
}

TEST_CASE("comparisonNotes reports different lengths and world sizes") {
  CHECK(comparisonNotes(sampleJob(), sampleJob()).empty());
  std::vector<Report> reports = sampleReports(4);
  for (Report& report : reports) {
    report.job.world_size = 8;
    for (Module& module : report.modules) {
      module.calls[static_cast<size_t>(Phase::kForward)] *= 2;
    }
  }
  const auto notes = comparisonNotes(sampleJob(), jobOf(reports));
  REQUIRE(notes.size() == 2);
  const auto some = comparisonNotes(sampleJob(), jobOf({sampleReport(1), sampleReport(3)}));
  REQUIRE(some.size() == 1);
  CHECK(some[0].starts_with("not the same ranks have a report: 0-3 before and 1, 3 after"));
  CHECK(notes[0].find("4 and 8 ranks") != std::string::npos);
  CHECK(notes[1].starts_with("each of its ranks called DistributedDataParallel 1 times before and 2 times after"));
  for (Module& module : reports[3].modules) { // as the rank that alone evaluates
    module.calls[static_cast<size_t>(Phase::kForward)] *= 3;
  }
  CHECK(comparisonNotes(sampleJob(), jobOf(reports))[1].starts_with(
      "ranks differ, and on average called DistributedDataParallel 1 times before and 3 times after"));
}

JobStep stepsFrom(uint64_t first_step, uint64_t steps) {
  JobStep row;
  row.first_step = first_step;
  row.steps = steps;
  row.ranks = row.timed_ranks = 1;
  return row;
}

TEST_CASE("stepsOfBoth returns the number of steps if both runs have equally many") {
  JobReport before;
  JobReport after;
  CHECK(stepsOfBoth(before, after) == 1);
  before.steps = {stepsFrom(0, 1), stepsFrom(1, 1), stepsFrom(2, 4)};
  CHECK(stepsOfBoth(before, after) == 1);
  after.steps = {stepsFrom(0, 2), stepsFrom(2, 4)};
  CHECK(stepsOfBoth(before, after) == 6);
  after.steps.push_back(stepsFrom(6, 1));
  CHECK(stepsOfBoth(before, after) == 1);
  after.steps.back().timed_ranks = 0; // has only begun
  CHECK(stepsOfBoth(before, after) == 6);
}

} // namespace
} // namespace commtap
