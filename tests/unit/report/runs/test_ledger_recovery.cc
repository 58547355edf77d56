// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/ledger_recovery.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "report/runs/output.h"
#include "report/runs/report_scan.h"
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

TEST_CASE("a dead process's ledger becomes its report") {
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

TEST_CASE("the ledgers of a process are found in folders per run, rank and attempt") {
  const TempFolder folder;
  const std::string name = nameOfLedger("node1", 17);
  for (const char* below : {"", "/run", "/run/3", "/run/3/attempt-1", "/run/3/attempt-1/deeper"}) {
    std::filesystem::create_directories(folder.path() + below);
    writeText(folder.path() + below + "/" + name, "");
    writeText(folder.path() + below + "/" + nameOfLedger("node1", 170), "");
    writeText(folder.path() + below + "/" + nameOfLedger("node2", 17), "");
  }
  std::vector<std::string> found = ledgersOfProcess(folder.path(), "node1", 17);
  std::sort(found.begin(), found.end());
  CHECK(
      found ==
      std::vector<std::string>{
          folder / name, folder / ("run/3/attempt-1/" + name), folder / ("run/3/" + name), folder / ("run/" + name)});
  CHECK(ledgersOfProcess(folder / "none", "node1", 17).empty());
}

TEST_CASE("an exiting process converts only the ledgers of its run and its children") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "attempt-1");
  std::filesystem::create_directories(folder / "later-run/attempt-1");
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
  leave("later-run/child", kDeadPid + 3, "later", 77);
  leave("later-run/attempt-1/child", kDeadPid + 4, "later", 77);
  leave("another", kDeadPid + 5, "run.run-2", 1);
  leave("stranger", kDeadPid + 2, "other", 1);
  leave("living", static_cast<uint64_t>(getpid()), "run", 77);
  recoverLedgersOfRun(folder.path(), {"node", 77, -1, "run", 0});
  CHECK(std::filesystem::exists(folder / "sibling.json"));
  CHECK(std::filesystem::exists(folder / "attempt-1/child.json"));
  CHECK(std::filesystem::exists(folder / "later-run/child.json"));
  CHECK(std::filesystem::exists(folder / "later-run/attempt-1/child.json"));
  CHECK(
      namesIn(folder.path()) == std::vector<std::string>{
                                    "another.json",
                                    "attempt-1",
                                    "later-run",
                                    "living.node-" + std::to_string(getpid()) + ".ledger",
                                    "sibling.json",
                                    "stranger.node-1073741826.ledger"});
  recoverLedgersOfRun(folder / "none", {"node", 77, -1, "run", 0});
}

TEST_CASE("orphaned ledgers of this user and host become reports, by their names; a named ledger stays") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub");
  const std::string gone = leaveLedger(folder, "sub/" + nameOfLedger(hostName(), kDeadPid), 1);
  const std::string living = leaveLedger(folder, nameOfLedger(hostName(), static_cast<uint64_t>(getpid())), 2);
  const std::string elsewhere = leaveLedger(folder, nameOfLedger("elsewhere", kDeadPid), 3);
  recoverOrphanedLedgers(gone);
  CHECK(std::filesystem::exists(gone));
  recoverOrphanedLedgers(folder.path());
  CHECK(namesIn(folder / "sub") == std::vector<std::string>{"rank-00001.json"});
  CHECK(reportFromJson(readText(folder / "sub/rank-00001.json"))->job.exit == ExitKind::kKilled);
  CHECK(std::filesystem::exists(living));
  CHECK(std::filesystem::exists(elsewhere));
  CHECK(scanReports(folder.path(), nullptr)->reports.size() == 3);
}

TEST_CASE("a scan changes nothing, and reads a ledger that cannot be converted as it is") {
  const TempFolder folder;
  const std::string ledger = leaveLedger(folder, nameOfLedger(hostName(), kDeadPid), 1);
  CHECK(scanReports(folder.path(), nullptr)->reports[0].is_ledger);
  CHECK(std::filesystem::exists(ledger));
  const int other = open(ledger.c_str(), O_RDONLY);
  REQUIRE(flock(other, LOCK_EX) == 0);
  recoverOrphanedLedgers(folder.path());
  close(other);
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan->reports.size() == 1);
  CHECK(scan->reports[0].is_ledger);
  CHECK(scan->problems.empty());
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

TEST_CASE("converting a ledger does not replace the report of another process") {
  const TempFolder folder;
  Report helper = sampleReport(1);
  helper.job.pid = 4711;
  helper.job.started_at_ns = helper.job.ended_at_ns.emplace(5'000'000'000); // long before the test
  const auto ledger = sampleLedger(1);
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

TEST_CASE("a ledger behind a link is not converted: neither the link nor what it names is deleted") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "out");
  leaveLedger(folder, "mine.ledger", 1);
  std::filesystem::create_symlink("../mine.ledger", folder / "out/x.ledger");
  std::vector<std::string> problems;
  CHECK(recoverLedgers(folder / "out", problems).empty());
  CHECK(problems == std::vector<std::string>{folder / "out/x.ledger cannot be opened, or is a link"});
  CHECK(namesIn(folder / "out") == std::vector<std::string>{"x.ledger"});
  CHECK(std::filesystem::exists(folder / "mine.ledger"));
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
