// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <filesystem>

#include "report/base/atomic_file.h"
#include "report/runs/output.h"
#include "report/runs/report_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("reportPaths lists reports and ledgers below a folder by name, sorted") {
  const TempFolder folder;
  for (const char* name : {"b.json", "a.ledger", "c.txt"}) {
    writeText(folder / name, "");
  }
  std::vector<std::string> problems;
  CHECK(reportPaths(folder.path(), problems) == std::vector<std::string>{folder / "a.ledger", folder / "b.json"});
  CHECK(reportPaths(folder / "c.txt", problems) == std::vector<std::string>{folder / "c.txt"});
  CHECK(problems.empty());
}

TEST_CASE("folders that the user may not read are named, and the others are read") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "closed");
  std::filesystem::create_directories(folder / "open");
  writeText(folder / "closed/a.json", "");
  writeText(folder / "open/b.json", "");
  chmod(folder.path().c_str(), 0755);
  chmod((folder / "closed").c_str(), 0);
  const uid_t user = geteuid();
  constexpr uid_t kNobody = 65534; // root may read all
  REQUIRE((user != 0 || seteuid(kNobody) == 0));
  std::vector<std::string> problems;
  const std::vector<std::string> paths = reportPaths(folder.path(), problems);
  std::vector<std::string> of_closed;
  CHECK(reportPaths(folder / "closed", of_closed).empty());
  REQUIRE((user != 0 || seteuid(user) == 0));
  chmod((folder / "closed").c_str(), 0755);
  CHECK(paths == std::vector<std::string>{folder / "open/b.json"});
  const std::string problem = "cannot read the folder " + (folder / "closed") + ": Permission denied";
  CHECK(problems == std::vector<std::string>{problem});
  CHECK(of_closed == std::vector<std::string>{problem});
}

TEST_CASE("vanished() is true for a missing file") {
  const TempFolder folder;
  writeText(folder / "a", "");
  CHECK_FALSE(vanished(folder / "a"));
  CHECK(vanished(folder / "b"));
}

TEST_CASE("placesAfter() returns the possible report paths of a ledger") {
  const TempFolder folder;
  const Report report = sampleReport(3);
  const std::string ledger =
      folder / ledgerFileName("rank-00003", {report.job.host, report.job.pid, 3, report.job.run_id, 0});
  const auto written = writeReportFile(folder.path(), "rank-00003", report);
  REQUIRE(written);
  const auto places = placesAfter(ledger, report.job);
  REQUIRE(places.size() == 6);
  CHECK(places[0] == *written);
  CHECK(places[2] == folder / "rank-00003.json.zst");
  CHECK(places[3] == folder / ("rank-00003.pid-" + std::to_string(report.job.pid) + ".json"));
  CHECK(placesAfter("other.ledger", report.job).empty());
}

const std::vector<FoundRun> kRuns = {{"run-2-abc", 2, "wide"}, {"run-1-abd", 1, "narrow"}, {"run-1", 0, "wide"}};

std::vector<std::string> meant(const std::string& text) {
  std::vector<std::string> ids;
  for (const FoundRun& run : runsMeant(kRuns, text)) {
    ids.push_back(run.run_id);
  }
  return ids;
}

TEST_CASE("a run is meant by its id, its name, or a part of its id, in this order") {
  using Ids = std::vector<std::string>;
  CHECK(meant("run-1") == Ids{"run-1"}); // also a part of another id
  CHECK(meant("narrow") == Ids{"run-1-abd"});
  CHECK(meant("2-a") == Ids{"run-2-abc"});
  CHECK(meant("wide") == Ids{"run-2-abc", "run-1"});
  CHECK(meant("ab") == Ids{"run-2-abc", "run-1-abd"});
  CHECK(meant("arro").empty()); // a part of a name
  CHECK(meant("").empty());
}

TEST_CASE("the error lists the runs that may be meant, or the newest") {
  CHECK(
      notOneRun(kRuns, "ab") ==
      "several runs match \"ab\": \"run-2-abc\" (wide), \"run-1-abd\" (narrow): give more of the id");
  CHECK(
      notOneRun(kRuns, "x") ==
      "there is no report of run \"x\"; the newest are \"run-2-abc\", \"run-1-abd\", \"run-1\"");
  CHECK(notOneRun({}, "x") == "there is no report of run \"x\"");
}

TEST_CASE("samples files are found in all folders, and are no reports") {
  const TempFolder folder;
  REQUIRE(makeFolders(folder / "a/attempt-1").empty());
  for (const char* name : {"b.samples", "a/attempt-1/rank-00000.samples", "rank-00000.json", "samples"}) {
    writeText(folder / name, "");
  }
  std::vector<std::string> problems;
  CHECK(
      samplesPaths(folder.path(), problems) ==
      std::vector<std::string>{folder / "a/attempt-1/rank-00000.samples", folder / "b.samples"});
  CHECK(samplesPaths(folder / "b.samples", problems) == std::vector<std::string>{folder / "b.samples"});
  CHECK(problems.empty());
  CHECK_FALSE(isReportName("rank-00000.samples"));
  CHECK(reportPaths(folder.path(), problems) == std::vector<std::string>{folder / "rank-00000.json"});
}

} // namespace
} // namespace commtap
