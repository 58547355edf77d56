// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/removal.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/base/atomic_file.h"
#include "report/json/report_json.h"
#include "report/runs/compressor.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

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
