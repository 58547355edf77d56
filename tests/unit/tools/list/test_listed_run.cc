// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/list/listed_run.h"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "report/merge/plan_merge.h"
#include "tests/unit/samples.h"
#include "tools/cli/run_note.h"

namespace commtap {
namespace {

void put(const TempFolder& folder, const std::string& run, uint64_t started_at_ns, int64_t rank, int64_t status) {
  Report report = sampleReport(rank);
  report.job.run_id = run;
  report.job.started_at_ns = started_at_ns;
  report.job.exit = ExitKind::kNormal;
  report.job.exit_status = status;
  report.job.argv = {"/usr/bin/python3", "train.py"};
  writeText(folder / (run + std::to_string(rank) + ".json"), reportToJson(report));
}

TEST_CASE("runs are listed newest first, with their ranks, end, amounts and size") {
  const TempFolder folder;
  put(folder, "old", 1'000'000'000, 0, 0);
  put(folder, "old", 1'000'000'000, 1, 0);
  put(folder, "new", 2'000'000'000, 0, 0);
  put(folder, "new", 2'000'000'000, 3, 1);
  const Result<RunList> list = listRuns(folder.path(), {}, {});
  REQUIRE(list);
  REQUIRE(list->runs.size() == 2);
  const ListedRun& run = list->runs[0];
  CHECK(run.run_id == "new");
  CHECK(run.end == RunEnd::kFailed);
  CHECK(run.ranks == RankRanges{{0, 0}, {3, 3}});
  CHECK(run.missing == RankRanges{{1, 2}});
  CHECK(run.world_size == 4);
  CHECK(run.argv == std::vector<std::string>{"/usr/bin/python3", "train.py"});
  CHECK(run.calls > 0);
  CHECK(run.calls == list->runs[1].calls);
  CHECK(run.bytes == list->runs[1].bytes);
  CHECK(run.disk_bytes > 0);
  CHECK(list->runs[1].end == RunEnd::kNormal);
  CHECK(list->older == 0);
}

TEST_CASE("runs that failed, and those of some time, are listed alone") {
  const TempFolder folder;
  put(folder, "first", 1'000'000'000, 0, 1);
  put(folder, "second", 2'000'000'000, 0, 1);
  put(folder, "third", 3'000'000'000, 0, 0);
  const auto names = [&folder](const RunFilter& filter) {
    const Result<RunList> list = listRuns(folder.path(), filter, {});
    std::string text = std::to_string(list->older);
    for (const ListedRun& run : list->runs) {
      text += " " + run.run_id;
    }
    return text;
  };
  CHECK(names({.failed = true}) == "0 second first");
  CHECK(names({.most = 1, .failed = true}) == "1 second");
  CHECK(names({.since_ns = 2'000'000'000}) == "0 third second");
  CHECK(names({.most = 1, .since_ns = 2'000'000'000}) == "1 third");
}

TEST_CASE("a rank that failed ended the run, not the launcher's signals to the others") {
  const TempFolder folder;
  put(folder, "run", 1'000'000'000, 0, 1);
  Report report = sampleReport(1);
  report.job.run_id = "run";
  report.job.exit = ExitKind::kKilled;
  report.job.exit_signal = SIGTERM;
  writeText(folder / "run1.json", reportToJson(report));
  CHECK(listRuns(folder.path(), {}, {})->runs[0].end == RunEnd::kFailed);
  report.job.exit_signal.reset(); // no launcher was seen to send it: it may have come first
  writeText(folder / "run1.json", reportToJson(report));
  CHECK(listRuns(folder.path(), {}, {})->runs[0].end == RunEnd::kKilled);
}

TEST_CASE("SIGKILL is a kill, with and without a launcher that saw it") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.job.exit = ExitKind::kSignal;
  report.job.exit_signal = SIGKILL;
  writeText(folder / "run0.json", reportToJson(report));
  CHECK(listRuns(folder.path(), {}, {})->runs[0].end == RunEnd::kKilled);
  report.job.exit_signal = SIGABRT;
  writeText(folder / "run0.json", reportToJson(report));
  CHECK(listRuns(folder.path(), {}, {})->runs[0].end == RunEnd::kSignal);
}

TEST_CASE("a run that failed without a report is listed by its note, at its time") {
  const TempFolder folder;
  put(folder, "old", 1'000'000'000, 0, 0);
  put(folder, "new", 3'000'000'000, 0, 0);
  RunNote note{
      .run_id = "lost", .name = "wide", .argv = {"torchrun"}, .started_at_ns = 2'000'000'000, .exit_status = 1};
  REQUIRE(writeRunNote(folder.path(), note).empty());
  note.run_id = "new"; // of a node of a run that another node has a report of
  REQUIRE(writeRunNote(folder.path(), note).empty());
  const Result<RunList> list = listRuns(folder.path(), {.most = 2}, {});
  REQUIRE(list);
  CHECK(list->problems.empty());
  CHECK(list->older == 1);
  REQUIRE(list->runs.size() == 2);
  CHECK(list->runs[0].run_id == "new");
  CHECK(list->runs[1].run_id == "lost");
  CHECK(list->runs[1].end == RunEnd::kFailed);
  CHECK(list->runs[1].ranks.empty());
  CHECK(list->runs[1].disk_bytes > 0);
  const TempFolder alone;
  REQUIRE(writeRunNote(alone.path(), note).empty());
  CHECK(listRuns(alone.path(), {}, {})->runs.size() == 1);
}

TEST_CASE("a command that failed though its ranks ended well has failed, and not one whose ranks say more") {
  const TempFolder folder;
  put(folder, "run", 1'000'000'000, 0, 0);
  const uint64_t active_ns = listRuns(folder.path(), {}, {})->runs.at(0).last_activity_ns;
  RunNote note{.run_id = "run", .ended_at_ns = active_ns, .exit_status = 1, .has_report = true};
  REQUIRE(writeRunNote(folder.path(), note).empty());
  CHECK(listRuns(folder.path(), {.failed = true}, {})->runs.at(0).end == RunEnd::kFailed);
  note.exit_status.reset();
  note.exit_signal = SIGTERM;
  REQUIRE(writeRunNote(folder.path(), note).empty());
  CHECK(listRuns(folder.path(), {}, {})->runs.at(0).end == RunEnd::kSignal);
  note.ended_at_ns = active_ns - 1; // of an attempt before the last
  REQUIRE(writeRunNote(folder.path(), note).empty());
  CHECK(listRuns(folder.path(), {}, {})->runs.at(0).end == RunEnd::kNormal);
  put(folder, "run", 1'000'000'000, 0, 3);
  CHECK(listRuns(folder.path(), {}, {})->runs.at(0).end == RunEnd::kFailed);
}

TEST_CASE("a note names the command of its run, and is no run by itself once the reports are gone") {
  const TempFolder folder;
  put(folder, "run", 1'000'000'000, 0, 0);
  const RunNote note{.run_id = "run", .argv = {"python", "tune.py"}, .exit_status = 0, .has_report = true};
  REQUIRE(writeRunNote(folder.path(), note).empty());
  const Result<RunList> list = listRuns(folder.path(), {}, {});
  REQUIRE(list->runs.size() == 1);
  CHECK(list->runs[0].argv == note.argv);
  CHECK(list->runs[0].end == RunEnd::kNormal);
  std::filesystem::remove(folder / "run0.json");
  CHECK_FALSE(listRuns(folder.path(), {}, {}));
}

TEST_CASE("a process that was ended after its work did not end badly") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.job.exit = ExitKind::kAfterWork;
  report.job.exit_signal = SIGTERM;
  writeText(folder / "run0.json", reportToJson(report));
  CHECK(listRuns(folder.path(), {}, {})->runs[0].end == RunEnd::kNormal);
}

TEST_CASE("the path of one report lists its run") {
  const TempFolder folder;
  put(folder, "run", 1'000'000'000, 0, 0);
  const Result<RunList> list = listRuns(folder / "run0.json", {}, {});
  REQUIRE(list);
  CHECK(list->problems.empty());
  REQUIRE(list->runs.size() == 1);
  CHECK(list->runs[0].disk_bytes > 0);
}

TEST_CASE("at most so many runs are read, and the others are counted") {
  const TempFolder folder;
  for (const uint64_t at : {1, 2, 3}) {
    put(folder, "run" + std::to_string(at), at * 1'000'000'000, 0, 0);
  }
  const Result<RunList> list = listRuns(folder.path(), {.most = 2}, {});
  REQUIRE(list);
  REQUIRE(list->runs.size() == 2);
  CHECK(list->runs[0].run_id == "run3");
  CHECK(list->older == 1);
}

TEST_CASE("a plan has all ranks that its planned ranks represent") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "ranks/0");
  Report report = sampleReport(0);
  report.job.planned = true;
  writeText(folder / "ranks/0/rank-0.json", reportToJson(report));
  const PlanRanks ranks =
      *PlanRanks::fromJson(R"({"mesh": {"shape": [4], "ranks": [0, 1, 2, 3]}, "standing": {"0": [0, 1, 2, 3]}})");
  writeText(folder / kPlanFile, jobReportToJson(*mergePlan(folder.path(), ranks)));
  const Result<RunList> list = listRuns(folder.path(), {}, {});
  REQUIRE(list);
  REQUIRE(list->runs.size() == 1);
  CHECK(list->runs[0].planned);
  CHECK(list->runs[0].ranks == RankRanges{{0, 3}});
}

TEST_CASE("a file that cannot be read is a problem, and a folder without reports an error") {
  const TempFolder folder;
  put(folder, "run", 1, 0, 0);
  writeText(folder / "cut.json", R"({"schema": "commtap/2", )");
  const Result<RunList> list = listRuns(folder.path(), {}, {});
  REQUIRE(list);
  CHECK(list->runs.size() == 1);
  CHECK(list->problems.size() == 1);
  const TempFolder empty;
  CHECK_FALSE(listRuns(empty.path(), {}, {}));
}

} // namespace
} // namespace commtap
