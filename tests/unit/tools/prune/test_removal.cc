// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/stored_run.h"

#include <filesystem>

#include <doctest/doctest.h>

#include "report/base/atomic_file.h"
#include "report/base/timestamp.h"
#include "report/json/report_json.h"
#include "report/runs/report_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kHour = 3600 * kNsPerSecond;
constexpr uint64_t kNow = 1000 * kHour;

StoredRun runOf(const std::string& id, uint64_t hours_ago, uint64_t bytes, bool has_ledger = false) {
  return {.run_id = id, .bytes = bytes, .changed_at_ns = kNow - hours_ago * kHour, .has_ledger = has_ledger};
}

std::vector<std::string> idsOf(const std::vector<StoredRun>& runs) {
  std::vector<std::string> ids;
  for (const StoredRun& run : runs) {
    ids.push_back(run.run_id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST_CASE("runs that changed longer ago than asked are removed") {
  const PrunePlan plan = planPrune({runOf("a", 50, 10), runOf("b", 49, 20), runOf("c", 48, 40)}, {48 * kHour}, kNow);
  CHECK(idsOf(plan.removed) == Ids{"a", "b"});
  CHECK(plan.kept_runs == 1);
  CHECK(plan.kept_bytes == 40);
}

TEST_CASE("the oldest runs are removed until the rest is small enough, after those that are too old") {
  const std::vector<StoredRun> runs = {runOf("a", 50, 10), runOf("b", 20, 20), runOf("c", 10, 40), runOf("d", 5, 80)};
  CHECK(idsOf(planPrune(runs, {{}, 150}, kNow).removed).empty());
  CHECK(idsOf(planPrune(runs, {{}, 140}, kNow).removed) == Ids{"a"});
  CHECK(idsOf(planPrune(runs, {{}, 139}, kNow).removed) == Ids{"a", "b"});
  CHECK(idsOf(planPrune(runs, {30 * kHour, 139}, kNow).removed) == Ids{"a", "b"});
  CHECK(planPrune(runs, {{}, 0}, kNow).kept_bytes == 0);
}

TEST_CASE("a run with a ledger, and one that changed within the hour, stay whatever was asked") {
  const std::vector<StoredRun> runs = {runOf("running", 500, 10, true), runOf("old", 400, 10), runOf("fresh", 1, 10)};
  const PrunePlan plan = planPrune(runs, {0, 0}, kNow);
  CHECK(idsOf(plan.removed) == Ids{"old"});
  CHECK(plan.with_ledgers == Ids{"running"});
  CHECK(plan.just_changed == Ids{"fresh"});
  CHECK(plan.kept_runs == 2);
  CHECK(plan.kept_bytes == 20);
}

TEST_CASE("a run that may have a ledger stays") {
  StoredRun run = runOf("a", 500, 10);
  run.may_have_a_ledger = true;
  const PrunePlan plan = planPrune({run, runOf("b", 400, 10)}, {0, 0}, kNow);
  CHECK(idsOf(plan.removed) == Ids{"b"});
  CHECK(plan.undecided == Ids{"a"});
  CHECK(plan.with_ledgers.empty());
  CHECK(plan.kept_runs == 1);
}

TEST_CASE("a run of the future is not old") {
  StoredRun run = runOf("a", 0, 10);
  run.changed_at_ns = kNow + kHour;
  CHECK(planPrune({run}, {0, 0}, kNow).removed.empty());
}

namespace fs = std::filesystem;

/// A folder with two runs in folders of their own, each of two ranks in two folders.
class TwoRuns {
 public:
  TwoRuns() {
    for (const char* run : {"old", "new"}) {
      for (const char* place : {"/a", "/b/c"}) {
        REQUIRE(makeFolders(folder / std::string(run) + place).empty());
        put(std::string(run) + place + "/rank.json", run);
      }
    }
  }
  void put(const std::string& name, const std::string& run) const {
    Report report = sampleReport(0);
    report.job.run_id = run;
    writeText(folder / name, reportToJson(report));
  }
  StoredRun oldRun() const {
    return runWith({"old/a/rank.json", "old/b/c/rank.json"});
  }
  StoredRun runWith(const std::vector<std::string>& names) const {
    StoredRun run{.run_id = "old", .changed_at_ns = UINT64_MAX};
    for (const std::string& name : names) {
      run.files.push_back({.path = folder / name, .run_id = "old", .bytes = 10});
    }
    return run;
  }
  Removal remove(const StoredRun& run) const {
    return removeRun(run, folder.path(), false);
  }

  TempFolder folder;
};

TEST_CASE_FIXTURE(TwoRuns, "a run's reports are deleted, and the folders that this leaves empty") {
  const Removal removal = remove(oldRun());
  CHECK(removal.problems.empty());
  CHECK(removal.files == 2);
  CHECK(removal.bytes == 20);
  CHECK(removal.kept_files == 0);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"new"});
  CHECK(fs::exists(folder / "new/b/c/rank.json"));
}

TEST_CASE_FIXTURE(TwoRuns, "a dry run judges, and deletes nothing") {
  writeText(folder / "old/a/rank.json", "{}");
  const Removal removal = removeRun(oldRun(), folder.path(), true);
  CHECK(removal.files == 1);
  CHECK(removal.problems.size() == 1);
  CHECK(fs::exists(folder / "old/b/c/rank.json"));
}

TEST_CASE_FIXTURE(TwoRuns, "a folder with anything else stays, and so does the root") {
  writeText(folder / "old/a/job.json", "{}");
  CHECK(removeRun(oldRun(), folder.path() + "/", false).problems.empty());
  CHECK(namesIn(folder / "old") == std::vector<std::string>{"a"});
  fs::remove_all(folder / "new");
  fs::remove_all(folder / "old");
  put("rank.json", "old");
  CHECK(remove(runWith({"rank.json"})).files == 1);
  CHECK(fs::exists(folder.path()));
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE_FIXTURE(TwoRuns, "a file that another run has written since, or that is gone, is left alone") {
  put("old/a/rank.json", "new");
  fs::remove(folder / "old/b/c/rank.json");
  const Removal removal = remove(oldRun());
  CHECK(removal.problems.empty());
  CHECK(removal.kept_files == 1);
  CHECK(fs::exists(folder / "old/a/rank.json"));
}

TEST_CASE_FIXTURE(TwoRuns, "a report that the run has written since is left alone") {
  StoredRun run = oldRun();
  run.changed_at_ns = 1;
  CHECK(remove(run).kept_files == 2);
  CHECK(fs::exists(folder / "old/a/rank.json"));
}

TEST_CASE_FIXTURE(TwoRuns, "what is not a whole report, or holds more, stays and is named") {
  const std::string text = readText(folder / "old/a/rank.json");
  writeText(folder / "old/behind.json", text + "my notes");
  writeText(folder / "old/keys.json", "{ \"notes\": 1," + text.substr(1));
  writeText(folder / "old/start.json", text.substr(0, text.size() - 20));
  std::string compressed = makeCompressor(Compress::kGzip)->add(text, true);
  writeText(folder / "old/whole.json.gz", compressed);
  writeText(folder / "old/behind.json.gz", compressed + "my notes");
  writeText(folder / "old/start.json.gz", compressed.substr(0, compressed.size() - 9));
  const std::vector<std::string> stay = {
      "old/behind.json", "old/behind.json.gz", "old/keys.json", "old/start.json", "old/start.json.gz"};
  std::vector<std::string> all = stay;
  all.emplace_back("old/whole.json.gz");
  const Removal removal = remove(runWith(all));
  CHECK(removal.files == 1);
  CHECK(removal.kept_files == stay.size());
  REQUIRE(removal.problems.size() == stay.size());
  for (size_t i = 0; i < stay.size(); ++i) {
    CHECK(removal.problems[i].starts_with(folder / stay[i] + " stays: "));
    CHECK(fs::exists(folder / stay[i]));
  }
  CHECK_FALSE(fs::exists(folder / "old/whole.json.gz"));
}

TEST_CASE_FIXTURE(TwoRuns, "nothing is deleted through a link, to a file or to a folder") {
  fs::rename(folder / "old/a", folder / "mine");
  fs::create_directory_symlink("../mine", folder / "old/a");
  fs::remove(folder / "old/b/c/rank.json");
  fs::create_symlink("../../../mine/rank.json", folder / "old/b/c/rank.json");
  const Removal removal = remove(oldRun());
  CHECK(removal.files == 0);
  CHECK(removal.problems.size() == 2);
  CHECK(fs::exists(folder / "mine/rank.json"));
  CHECK(fs::is_symlink(folder / "old/b/c/rank.json"));
}

TEST_CASE_FIXTURE(TwoRuns, "a root with '..' behind a link is the folder that the system takes it for") {
  fs::create_directories(folder / "elsewhere/in");
  fs::create_directory_symlink("elsewhere/in", folder / "link"); // link/.. is elsewhere
  fs::create_directories(folder / "elsewhere/rep/a");
  fs::create_directories(folder / "rep/a"); // a foreign empty folder, where link/.. is by its text
  put("elsewhere/rep/a/rank.json", "old");
  const Removal removal = removeRun(runWith({"link/../rep/a/rank.json"}), folder / "link/../rep", false);
  CHECK(removal.files == 1);
  CHECK(fs::exists(folder / "rep/a"));
  CHECK(fs::exists(folder / "elsewhere/rep"));
  CHECK_FALSE(fs::exists(folder / "elsewhere/rep/a"));
}

} // namespace

} // namespace commtap
