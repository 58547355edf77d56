// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "report/runs/output.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

void writeReport(const std::string& path, const Report& report) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  writeText(path, reportToJson(report));
}

constexpr uint64_t kDeadPid = 1ULL << 30U; ///< larger than any pid

std::string nameOfLedger(const std::string& host, uint64_t pid) {
  return ledgerFileName("rank", {host, pid, -1, "", 0});
}

/// Writes the ledger of an exited process.
std::string leaveLedger(const TempFolder& folder, const std::string& name, int64_t rank) {
  const auto ledger = sampleLedger(rank);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().ended_at_ns = 0;
  REQUIRE(ledger->publish(folder / name));
  return folder / name;
}

TEST_CASE("readReports sorts by rank, with processes without a rank last, whatever the file names") {
  const TempFolder folder;
  writeReport(folder / "a.json", sampleReport(2));
  writeReport(folder / "sub/b.json", sampleReport(0));
  Report unranked = sampleReport(1);
  unranked.job.rank = std::nullopt;
  unranked.job.pid = 77;
  writeReport(folder / "0.json", unranked);
  leaveLedger(folder, "z.ledger", 1);
  writeText(folder / "notes.txt", "not ours");
  const auto reports = readReports(folder.path(), nullptr);
  REQUIRE(reports);
  REQUIRE(reports->files.size() == 4);
  CHECK(reports->problems.empty());
  CHECK(reports->files[0].report.job.rank == 0);
  CHECK(reports->files[1].report.job.rank == 1);
  CHECK(reports->files[1].is_ledger);
  CHECK(reports->files[1].report.job.exit == ExitKind::kKilled);
  CHECK(reports->files[2].report.job.rank == 2);
  CHECK_FALSE(reports->files[3].report.job.rank);
}

TEST_CASE("readReports reads a single file of any name") {
  const TempFolder folder;
  writeReport(folder / "x", sampleReport(2));
  CHECK(readReports(folder / "x", nullptr)->files.size() == 1);
  const std::string ledger = leaveLedger(folder, "y", 1);
  CHECK(readReports(ledger, nullptr)->files[0].is_ledger);
}

TEST_CASE("readReports prefers a process's JSON over its ledger") {
  const TempFolder folder;
  leaveLedger(folder, "x.ledger", 0);
  writeReport(folder / "x.json", sampleReport(0));
  const auto reports = readReports(folder.path(), nullptr);
  REQUIRE(reports->files.size() == 1);
  CHECK_FALSE(reports->files[0].is_ledger);
}

TEST_CASE("readReports reads the newest of several runs, or the requested one") {
  const TempFolder folder;
  Report old = sampleReport(0);
  old.job.run_id = "old";
  old.job.started_at_ns -= 1'000'000;
  writeReport(folder / "old.json", old);
  writeReport(folder / "new.json", sampleReport(0));
  const auto newest = readReports(folder.path(), nullptr);
  REQUIRE(newest->files.size() == 1);
  CHECK(newest->files[0].report.job.run_id == "sample-run");
  CHECK(newest->other_runs == 1);
  CHECK(readReports(folder.path(), nullptr, "old")->files[0].report.job.run_id == "old");
  CHECK(readReports(folder.path(), nullptr, "none")->files.empty());
}

TEST_CASE("readReports names unreadable files and reads the others") {
  const TempFolder folder;
  writeReport(folder / "good.json", sampleReport(0));
  writeText(folder / "bad.json", "{");
  writeText(folder / "bad.ledger", "no ledger");
  const auto reports = readReports(folder.path(), nullptr);
  CHECK(reports->files.size() == 1);
  REQUIRE(reports->problems.size() == 2);
  CHECK(reports->problems[0].find(folder / "bad.json: no JSON document") == 0);
  CHECK(reports->problems[1].find(folder / "bad.ledger: not a commtap ledger") == 0);
}

TEST_CASE("readReports fails for a missing path, an empty folder and a folder of unreadable files") {
  const TempFolder folder;
  CHECK(readReports(folder / "none", nullptr).error().find("does not exist") != std::string::npos);
  CHECK(readReports(folder.path(), nullptr).error().find("holds no report") != std::string::npos);
  writeText(folder / "bad.json", "{");
  CHECK(readReports(folder.path(), nullptr).error().find("bad.json") != std::string::npos);
}

TEST_CASE("readReports reports its progress up to the last file") {
  const TempFolder folder;
  writeReport(folder / "a.json", sampleReport(0));
  writeReport(folder / "b.json", sampleReport(1));
  size_t calls = 0;
  const auto reports = readReports(folder.path(), [&](size_t done, size_t total) {
    ++calls;
    CHECK(done == calls);
    CHECK(total == 2);
  });
  CHECK(calls == 2);
}

TEST_CASE("readReports ignores cyclic and broken links") {
  const TempFolder folder;
  writeReport(folder / "a.json", sampleReport(0));
  std::filesystem::create_symlink(folder.path(), folder / "loop");
  std::filesystem::create_symlink(folder / "none", folder / "0.json");
  const auto reports = readReports(folder.path(), nullptr);
  CHECK(reports->files.size() == 1);
  CHECK(reports->problems.empty());
}

TEST_CASE("the ledger of a dead process is converted into its report") {
  const TempFolder folder;
  leaveLedger(folder, "x.ledger", 1);
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder.path(), problems) == std::vector<std::string>{folder / "rank-00001.json"});
  CHECK(problems.empty());
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00001.json"});
  const auto report = reportFromJson(readText(folder / "rank-00001.json"));
  CHECK(report->job.exit == ExitKind::kKilled);
  CHECK(report->collectives.size() == 3);
  CHECK(recoverLedgers(folder.path(), problems).empty());
}

TEST_CASE("two dead processes of one rank each get a report") {
  const TempFolder folder;
  for (const uint64_t pid : {501, 502}) {
    const auto ledger = sampleLedger(0);
    ledger->header().pid = pid;
    ledger->header().started_at_ns = wallClockNs() + 10'000'000'000;
    REQUIRE(ledger->publish(folder / (std::to_string(pid) + ".ledger")));
  }
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder.path(), problems).size() == 2);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json", "rank-00000.pid-502.json"});
}

TEST_CASE("the ledger of a living process is not converted") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().boot_id = ledger->intern("another machine");
  REQUIRE(ledger->publish(folder / "x.ledger"));
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder.path(), problems).empty());
  CHECK(problems.empty());
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"x.ledger"});
}

TEST_CASE("an exiting process converts only the ledgers of its run and its children") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "attempt-1");
  const auto leave = [&](const std::string& name, uint64_t pid, const char* run_id, uint64_t parent_pid) {
    const auto ledger = sampleLedger(0);
    LedgerHeader& header = ledger->header();
    header.pid = pid;
    header.run_id = ledger->intern(run_id);
    header.report_name = ledger->intern(name);
    header.parent_pid = parent_pid;
    REQUIRE(ledger->publish(folder / ledgerFileName(name, {"node", pid, -1, "", 0})));
  };
  leave("sibling", kDeadPid, "run", 1);
  leave("attempt-1/child", kDeadPid + 1, "other", 77);
  leave("stranger", kDeadPid + 2, "other", 1);
  leave("living", static_cast<uint64_t>(getpid()), "run", 77);
  recoverLedgersOfRun(folder.path(), {"node", 77, -1, "run", 0});
  CHECK(std::filesystem::exists(folder / "sibling.json"));
  CHECK(std::filesystem::exists(folder / "attempt-1/child.json"));
  CHECK(
      namesIn(folder.path()) == std::vector<std::string>{
                                    "attempt-1",
                                    "living.node-" + std::to_string(getpid()) + ".ledger",
                                    "sibling.json",
                                    "stranger.node-1073741826.ledger"});
  recoverLedgersOfRun(folder / "none", {"node", 77, -1, "run", 0});
}

TEST_CASE("reading a folder converts ledgers of this user's processes that are dead by their file names") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub");
  const std::string gone = leaveLedger(folder, "sub/" + nameOfLedger(hostName(), kDeadPid), 1);
  const std::string living = leaveLedger(folder, nameOfLedger(hostName(), static_cast<uint64_t>(getpid())), 2);
  const std::string elsewhere = leaveLedger(folder, nameOfLedger("elsewhere", kDeadPid), 3);
  CHECK(readReports(gone, nullptr)->files[0].is_ledger); // a path to a ledger reads the ledger
  CHECK(readReports(folder.path(), nullptr)->files.size() == 3);
  CHECK(namesIn(folder / "sub") == std::vector<std::string>{"rank-00001.json"});
  CHECK(std::filesystem::exists(living));
  CHECK(std::filesystem::exists(elsewhere));
  CHECK(readReports(folder.path(), nullptr)->files[0].report.job.exit == ExitKind::kKilled);
}

TEST_CASE("a ledger that cannot be converted is read directly") {
  const TempFolder folder;
  const std::string ledger = leaveLedger(folder, nameOfLedger(hostName(), kDeadPid), 1);
  const int other = open(ledger.c_str(), O_RDONLY);
  REQUIRE(flock(other, LOCK_EX) == 0);
  const auto reports = readReports(folder.path(), nullptr);
  close(other);
  REQUIRE(reports->files.size() == 1);
  CHECK(reports->files[0].is_ledger);
  CHECK(reports->problems.empty());
}

TEST_CASE("a ledger that another process is converting is left to that process") {
  const TempFolder folder;
  leaveLedger(folder, "x.ledger", 1);
  const int other = open((folder / "x.ledger").c_str(), O_RDONLY);
  REQUIRE(flock(other, LOCK_EX) == 0);
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder.path(), problems).empty());
  CHECK(problems.empty());
  close(other);
  CHECK(recoverLedgers(folder.path(), problems).size() == 1);
}

TEST_CASE("converting a ledger does not replace the report of another process of the run") {
  const TempFolder folder;
  Report helper = sampleReport(1);
  helper.job.pid = 4711;
  helper.job.started_at_ns = helper.job.ended_at_ns.emplace(5'000'000'000); // long before the test
  const auto ledger = sampleLedger(1);
  ledger->header().run_id = ledger->intern(helper.job.run_id);
  ledger->header().run_began_ns = 1'000'000'000;
  writeReport(folder / "rank-00001.json", helper);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder.path(), problems).size() == 1);
  CHECK(reportFromJson(readText(folder / "rank-00001.json"))->job.pid == 4711);
  CHECK(namesIn(folder.path()).size() == 2);
}

TEST_CASE("the report name in a ledger cannot escape the folder") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "in");
  for (const char* name : {"../../escape", "..", "", "a/../../b"}) {
    const auto ledger = sampleLedger(0);
    ledger->header().report_name = ledger->intern(name);
    REQUIRE(ledger->publish(folder / "in/x.ledger"));
    std::vector<std::string> problems;
    for (const std::string& path : recoverLedgers(folder.path(), problems)) {
      CHECK(path.rfind(folder / "in/", 0) == 0);
    }
    CHECK(problems.empty());
  }
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"in"});
}

TEST_CASE("an unreadable ledger is kept and named") {
  const TempFolder folder;
  writeText(folder / "bad.ledger", "no ledger");
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder.path(), problems).empty());
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("bad.ledger") != std::string::npos);
  CHECK(namesIn(folder.path()).size() == 1);
}

} // namespace
} // namespace commtap
