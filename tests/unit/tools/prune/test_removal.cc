// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/removal.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/base/atomic_file.h"
#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

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
    StoredRun run{.run_id = "old"};
    for (const char* name : {"old/a/rank.json", "old/b/c/rank.json"}) {
      run.files.push_back({.path = folder / name, .run_id = "old"});
    }
    return run;
  }

  TempFolder folder;
};

TEST_CASE_FIXTURE(TwoRuns, "a run's reports are deleted, and the folders that this leaves empty") {
  CHECK(removeRun(oldRun(), folder.path()).empty());
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"new"});
  CHECK(std::filesystem::exists(folder / "new/b/c/rank.json"));
}

TEST_CASE_FIXTURE(TwoRuns, "a folder with anything else stays, and so does the root") {
  writeText(folder / "old/a/job.json", "{}");
  CHECK(removeRun(oldRun(), folder.path() + "/").empty());
  CHECK(namesIn(folder / "old") == std::vector<std::string>{"a"});
  std::filesystem::remove_all(folder / "new");
  std::filesystem::remove_all(folder / "old");
  put("rank.json", "old");
  CHECK(
      removeRun({.run_id = "old", .files = {{.path = folder / "rank.json", .run_id = "old"}}}, folder.path()).empty());
  CHECK(std::filesystem::exists(folder.path()));
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE_FIXTURE(TwoRuns, "a file that another run has written since, or that is gone, is left alone") {
  put("old/a/rank.json", "new");
  std::filesystem::remove(folder / "old/b/c/rank.json");
  CHECK(removeRun(oldRun(), folder.path()).empty());
  CHECK(std::filesystem::exists(folder / "old/a/rank.json"));
}

} // namespace
} // namespace commtap
