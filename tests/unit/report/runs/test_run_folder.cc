// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/run_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "report/base/process.h"
#include "report/base/timestamp.h"
#include "report/json/report_json.h"
#include "report/runs/report_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr uint64_t kPidOfNone = 1U << 30U;
constexpr uint64_t kBegan = 5000 * kNsPerSecond; ///< when this process's run began
constexpr uint64_t kBefore = 4000 * kNsPerSecond;
constexpr uint64_t kAfter = 6000 * kNsPerSecond;

OutputIdentity rankOf(const std::string& run_id, int64_t rank = 0, int64_t attempt = 0) {
  return {"node1", 42, rank, run_id, attempt};
}

Report reportOf(const std::string& run_id, uint64_t started_at_ns, std::optional<uint64_t> ended_at_ns) {
  Report report = sampleReport(0);
  report.job.run_id = run_id;
  report.job.host = "node1";
  report.job.started_at_ns = started_at_ns;
  report.job.ended_at_ns = ended_at_ns;
  return report;
}

void put(const std::string& path, const Report& report) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  writeText(path, reportToJson(report));
}

/// Leaves the ledger of a process that has ended if it is of this machine.
void putLedger(const std::string& path, const std::string& run_id, uint64_t started_at_ns, bool is_of_this_machine) {
  const auto ledger = sampleLedger(0);
  LedgerHeader& header = ledger->header();
  header.run_id = ledger->intern(run_id);
  header.host = ledger->intern(is_of_this_machine ? "node1" : "node2");
  header.pid = kPidOfNone;
  header.started_at_ns = started_at_ns;
  header.ended_at_ns = 0;
  header.exit = static_cast<uint32_t>(ExitKind::kRunning);
  if (!is_of_this_machine) {
    header.boot_id = ledger->intern("another machine");
  }
  REQUIRE(ledger->publish(path));
}

struct Place {
  std::string run_id;
  std::string path;

  bool operator==(const Place&) const = default;
};

Place placeOf(const std::string& pattern, const OutputIdentity& process, uint64_t began_ns = kBegan) {
  const RunFolder run(pattern, process, began_ns);
  CHECK(run.error().empty());
  return {run.runId(), run.path()};
}

TEST_CASE("the first run keeps the folder, and a later one gets a folder of its id in it") {
  const TempFolder folder;
  const std::string out = folder / "out";
  CHECK(placeOf(out, rankOf("a")) == Place{"a", out});
  put(out + "/rank-00000.json", reportOf("a", kAfter, kAfter));
  CHECK(placeOf(out, rankOf("a", 1)) == Place{"a", out});
  CHECK(placeOf(out, rankOf("b/c")) == Place{"b/c", out + "/b_c"});
  put(out + "/b_c/rank-00000.json", reportOf("b/c", kAfter, kAfter));
  CHECK(placeOf(out, rankOf("b/c", 1)) == Place{"b/c", out + "/b_c"});
  CHECK(placeOf(out, rankOf("b_c")) == Place{"b_c.run-2", out + "/b_c.run-2"}); // another id in the same words
}

TEST_CASE("a run whose id was used before gets a number, the same in all its processes") {
  const TempFolder folder;
  const std::string out = folder / "out";
  put(out + "/rank-00000.json", reportOf("a", kBefore, kBefore));
  CHECK(placeOf(out, rankOf("a")) == Place{"a.run-2", out + "/a.run-2"});
  CHECK(placeOf(out, rankOf("a", 1)) == Place{"a.run-2", out + "/a.run-2"}); // before the first has a ledger
  put(out + "/a.run-2/rank-00000.json", reportOf("a.run-2", kAfter, kAfter));
  CHECK(placeOf(out, rankOf("a", 2)) == Place{"a.run-2", out + "/a.run-2"});
  CHECK(placeOf(out, rankOf("a"), 2 * kAfter) == Place{"a.run-3", out + "/a.run-3"});
}

TEST_CASE("a run without a ledger in the folder of its id takes it, and then a number") {
  const TempFolder folder;
  const std::string out = folder / "out";
  put(out + "/rank-00000.json", reportOf("first", kBefore, kBefore));
  put(out + "/a/rank-00000.json", reportOf("a", kBefore, kBefore));
  CHECK(placeOf(out, rankOf("a")) == Place{"a.run-2", out + "/a.run-2"});
  CHECK(placeOf(out, rankOf("b")) == Place{"b", out + "/b"});
}

TEST_CASE("a process that ended after the run began is of the run, one that ended before is not") {
  for (const bool is_killed : {false, true}) {
    CAPTURE(is_killed);
    const TempFolder folder;
    const auto ended = [&](uint64_t at) { return is_killed ? std::nullopt : std::optional<uint64_t>(at); };
    put(folder / "rank-00000.json", reportOf("a", kAfter, ended(kAfter)));
    CHECK(placeOf(folder.path(), rankOf("a", 1)).run_id == "a");
    put(folder / "rank-00000.json", reportOf("a", kBefore, ended(kBefore)));
    CHECK(placeOf(folder.path(), rankOf("a", 1)).run_id == "a.run-2");
  }
  const TempFolder folder;
  put(folder / "rank-00000.json", reportOf("a", kBefore, kBefore));
  put(folder / "rank-00001.json", reportOf("a", kBefore, kAfter)); // a rank that started long before the last
  CHECK(placeOf(folder.path(), rankOf("a", 2)).run_id == "a");
}

TEST_CASE("on one host a run may begin as soon as the one before has ended") {
  const TempFolder folder;
  put(folder / "rank-00000.json", reportOf("a", kBefore, kBegan - 1));
  CHECK(placeOf(folder.path(), rankOf("a", 1)).run_id == "a.run-2");
  put(folder / "rank-00000.json", reportOf("a", kBefore, kBegan));
  CHECK(placeOf(folder.path(), rankOf("a", 1)).run_id == "a");
}

TEST_CASE("without a known begin no run is another") {
  const TempFolder folder;
  put(folder / "rank-00000.json", reportOf("a", kBefore, kBefore));
  CHECK(placeOf(folder.path(), rankOf("a", 1), 0).run_id == "a");
}

TEST_CASE("a ledger without an end is of the run if its process may live") {
  const TempFolder folder;
  putLedger(folder / "rank-00000.node2-1.ledger", "a", kBefore, false);
  CHECK(placeOf(folder.path(), rankOf("a", 1)).run_id == "a");
  const TempFolder crashed;
  putLedger(crashed / "rank-00000.node1-1.ledger", "a", kBefore, true);
  CHECK(placeOf(crashed.path(), rankOf("a", 1)).run_id == "a.run-2");
  putLedger(crashed / "rank-00001.node2-1.ledger", "a", kBefore, false); // of the crashed run, on another host
  CHECK(placeOf(crashed.path(), rankOf("a", 1)).run_id == "a.run-2");
}

TEST_CASE("a host that joins a run in a later attempt finds the run") {
  const TempFolder folder;
  Report report = reportOf("a", kBefore, kBefore);
  report.job.host = "node2";
  put(folder / "rank-00000.json", report);
  CHECK(placeOf(folder.path(), rankOf("a", 1, 1)) == Place{"a", folder.path()});
  CHECK(placeOf(folder.path(), rankOf("a", 1, 0)).run_id == "a.run-2");
}

TEST_CASE("a restart finds its run by the reports of the attempt before, also in their folder") {
  const TempFolder folder;
  put(folder / "attempt-1/rank-00000.json", reportOf("a", kAfter, kAfter));
  CHECK(placeOf(folder.path(), rankOf("a", 0, 2)) == Place{"a", folder.path()});
  CHECK(placeOf(folder.path(), rankOf("b", 0, 2)) == Place{"b", folder / "b"});
}

TEST_CASE("a pattern with a rank has the later run's folder before the rank's") {
  const TempFolder folder;
  const std::string pattern = folder / "%r/x";
  CHECK(placeOf(pattern, rankOf("a", 3)) == Place{"a", folder / "3/x"});
  put(folder / "0/x/rank-00000.json", reportOf("a", kBefore, kBefore));
  CHECK(placeOf(pattern, rankOf("b", 3)) == Place{"b", folder / "b/3/x"});
  CHECK(placeOf(pattern, rankOf("a", 3)) == Place{"a.run-2", folder / "a.run-2/3/x"});
  put(folder / "0/x/rank-00000.json", reportOf("a", kBefore, kAfter));
  CHECK(placeOf(pattern, rankOf("a", 3)) == Place{"a", folder / "3/x"});
}

TEST_CASE("what is no report or ledger takes no folder, whatever its name") {
  const TempFolder folder;
  writeText(folder / "config.json", "{}");
  writeText(folder / "report.html", "");
  writeText(folder / "rank-00000.json", "{}");
  writeText(folder / "rank-00000.x.ledger", ""); // truncated, or in the making
  REQUIRE(mkfifo((folder / "rank-00001.x.ledger").c_str(), 0600) == 0);
  REQUIRE(mkfifo((folder / "rank-00001.json").c_str(), 0600) == 0);
  CHECK(placeOf(folder.path(), rankOf("a")) == Place{"a", folder.path()});
  put(folder / "rank-00002.json", reportOf("a", kBefore, kBefore));
  CHECK(placeOf(folder.path(), rankOf("b")) == Place{"b", folder / "b"});
}

TEST_CASE("a folder from which the reports were deleted is free again") {
  const TempFolder folder;
  put(folder / "rank-00000.json", reportOf("a", kBefore, kBefore));
  put(folder / "b/rank-00000.json", reportOf("b", kBefore, kBefore));
  REQUIRE(unlink((folder / "rank-00000.json").c_str()) == 0);
  CHECK(placeOf(folder.path(), rankOf("c")) == Place{"c", folder.path()});
}

TEST_CASE("of runs that start at once in an empty folder one takes it, and each is in one folder") {
  const TempFolder folder;
  constexpr int kRunCount = 4;
  constexpr int kRanks = 4;
  std::vector<Place> places(static_cast<size_t>(kRunCount) * kRanks);
  std::vector<std::thread> threads;
  for (int i = 0; i < kRunCount * kRanks; ++i) {
    threads.emplace_back([&, i] {
      const std::string run_id = "run" + std::to_string(i / kRanks);
      const RunFolder run(folder.path(), rankOf(run_id, i % kRanks), kBegan);
      Report report = reportOf(run.runId(), kAfter, std::nullopt);
      report.job.pid = static_cast<uint64_t>(i);
      writeReportFile(run.path(), "rank-0000" + std::to_string(i % kRanks), report);
      places[static_cast<size_t>(i)] = {run.runId(), run.path()};
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  int in_common = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    CAPTURE(i);
    CHECK(places[i] == places[i - i % kRanks]);
    in_common += places[i].path == folder.path() ? 1 : 0;
  }
  CHECK(in_common == kRanks);
  CHECK_FALSE(std::filesystem::exists(folder / "commtap-first-run.lock"));
}

TEST_CASE("the lock of a killed process stops a run for two seconds, once") {
  const TempFolder folder;
  writeText(folder / "commtap-first-run.lock", "");
  const auto began = std::chrono::steady_clock::now();
  CHECK(placeOf(folder.path(), rankOf("a")) == Place{"a", folder.path()});
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
  CHECK(waited.count() >= 2);
  CHECK(waited.count() < 10);
  CHECK(namesIn(folder.path()).empty());
}

TEST_CASE("a folder that cannot be made is an error with the system's reason") {
  const TempFolder folder;
  writeText(folder / "file", "");
  CHECK(RunFolder(folder / "file/x", rankOf("a"), kBegan).error().find("Not a directory") != std::string::npos);
  put(folder / "rank-00000.json", reportOf("a", kAfter, kAfter));
  writeText(folder / "b", ""); // a file in the place of the run's folder
  CHECK(placeOf(folder.path(), rankOf("b")).path != folder / "b");
}

TEST_CASE("the name of a run is its id without the number") {
  CHECK(nameOfRun("a") == "a");
  CHECK(nameOfRun("a.run-2") == "a");
  CHECK(nameOfRun("a.run-23") == "a");
  for (const char* id : {"a.run-", "a.run-1", "a.run-2x", "a.run-2 ", "a.run-99999999999", "run-2", ""}) {
    CHECK(nameOfRun(id) == id);
  }
}

TEST_CASE("the folders of a name's runs are found, the newest first") {
  const TempFolder folder;
  for (const char* name : {"a", "a.run-2", "a.run-3", "b"}) {
    std::filesystem::create_directory(folder / name);
  }
  CHECK(
      foldersOfRun(folder / "%r", rankOf("a", 3)) ==
      std::vector<std::string>{folder / "a.run-3/3", folder / "a.run-2/3", folder / "a/3", folder / "3"});
  CHECK(foldersOfRun(folder.path(), rankOf("c")) == std::vector<std::string>{folder.path()});
}

TEST_CASE("a file is foreign if it begins neither like a report nor like a ledger") {
  const TempFolder folder;
  writeText(folder / "note.json", "{\"a\": 1}");
  writeText(folder / "cut.json", reportToJson(sampleReport(0)).substr(0, 60));
  CHECK(isForeign(folder / "note.json"));
  CHECK_FALSE(isForeign(folder / "cut.json"));
  CHECK_FALSE(isForeign(folder / "none.json"));
}

TEST_CASE("three foreign files are named, four are one line") {
  std::vector<std::string> problems = {"x"};
  CHECK(addForeign({"a", "b", "c"}, problems) == 0);
  CHECK(problems == std::vector<std::string>{"x", "a", "b", "c"});
  problems.clear();
  CHECK(addForeign({"a", "b", "c", "d"}, problems) == 3);
  CHECK(problems == std::vector<std::string>{"4 files are not commtap's, among them a"});
}

} // namespace
} // namespace commtap
