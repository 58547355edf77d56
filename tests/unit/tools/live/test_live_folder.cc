// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/live_folder.h"

#include <unistd.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Clock = LiveFolder::Clock;
constexpr std::chrono::minutes kKeep(10);

/// Returns a ledger of this running process as rank `rank`.
std::unique_ptr<LedgerWriter> runningLedger(int64_t rank) {
  auto ledger = sampleLedger(rank);
  LedgerHeader& head = ledger->header();
  head.exit = static_cast<uint32_t>(ExitKind::kRunning);
  head.ended_at_ns = 0;
  head.pid = static_cast<uint64_t>(getpid());
  head.pid_start_ticks = processStartTicks(head.pid).value();
  return ledger;
}

TEST_CASE("LiveFolder reads a ledger again each time") {
  const TempFolder folder;
  const auto ledger = runningLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  LiveFolder live(folder.path(), "node1", kKeep);
  const auto count = [&] { return live.read(Clock::now()).reports.at(0)->collectives.at(0).count; };
  const uint64_t before = count();
  CollectiveKey key{};
  key.op = ledger->intern("c10d.allreduce_");
  countOne(*ledger, key, 4);
  CHECK(live.read(Clock::now()).reports.at(0)->collectives.size() == 4);
  CHECK(count() == before);
  CHECK(live.read(Clock::now()).reports.at(0)->job.exit == ExitKind::kRunning);
}

TEST_CASE("LiveFolder is empty until its folder exists") {
  const TempFolder folder;
  LiveFolder live(folder / "later", "node1", kKeep);
  CHECK(live.read(Clock::now()).reports.empty());
  std::filesystem::create_directories(folder / "later/attempt-1");
  writeText(folder / "later/attempt-1/rank-00000.json", reportToJson(sampleReport(0)));
  CHECK(live.read(Clock::now()).reports.size() == 1);
}

TEST_CASE("LiveFolder keeps an ended process for a while") {
  const TempFolder folder;
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  LiveFolder live(folder.path(), "node1", kKeep);
  const auto now = Clock::now();
  CHECK(live.read(now + kKeep - std::chrono::minutes(1)).reports.size() == 1);
  CHECK(live.read(now + kKeep + std::chrono::minutes(1)).reports.empty());
}

TEST_CASE("LiveFolder keeps a killed process from the time that it notices the end") {
  const TempFolder folder;
  const auto ledger = runningLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  LiveFolder live(folder.path(), "node1", kKeep);
  const auto later = Clock::now() + std::chrono::hours(5);
  CHECK(live.read(later).reports.size() == 1);
  ledger->header().pid_start_ticks += 1; // the pid now belongs to another process
  REQUIRE(live.read(later).reports.size() == 1);
  CHECK(live.read(later).reports[0]->job.exit == ExitKind::kKilled);
  CHECK(live.read(later + kKeep).reports.empty());
}

TEST_CASE("LiveFolder prefers a process's report over its ledger") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  REQUIRE(ledger->publish(folder / "x.ledger"));
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  LiveFolder live(folder.path(), "node1", kKeep);
  CHECK(live.read(Clock::now()).reports.size() == 1);
}

TEST_CASE("LiveFolder has one line for many foreign files, and counts each") {
  const TempFolder folder;
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  for (int i = 0; i < 50; ++i) {
    writeText(folder / ("note" + std::to_string(i) + ".json"), "{\"a\": 1}");
  }
  writeText(folder / "cut.json", "{\n  \"schema\": \"commtap/2\",\n");
  writeText(folder / "job.json", "{\n \"schema\": \"commtap.job/2\",\n \"run_id\": \"x\"\n}\n");
  LiveFolder live(folder.path(), "node1", kKeep);
  for (int look = 0; look < 2; ++look) {
    const LiveReports found = live.read(Clock::now());
    CHECK(found.reports.size() == 1);
    CHECK(found.unreadable == 51);
    REQUIRE(found.problems.size() == 2);
    CHECK(found.problems[0].find("cut.json: ") != std::string::npos);
    CHECK(found.problems[1].starts_with("50 files are not commtap's, among them "));
  }
}

TEST_CASE("LiveFolder counts a copied report once and names it once") {
  const TempFolder folder;
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  std::filesystem::create_directory(folder / "backup");
  writeText(folder / "backup/rank-00000.json", reportToJson(sampleReport(0)));
  LiveFolder live(folder.path(), "node1", kKeep);
  const LiveReports found = live.read(Clock::now());
  CHECK(found.reports.size() == 1);
  REQUIRE(found.copies.size() == 1);
  CHECK(found.copies[0].find(folder / "backup/rank-00000.json") == 0);
  CHECK(live.read(Clock::now()).copies.empty());
}

TEST_CASE("LiveFolder has all runs of this host, sorted, and none of other hosts") {
  const TempFolder folder;
  int i = 0;
  for (const char* run_id : {"b", "a"}) {
    for (const int64_t rank : {1, 0}) {
      Report report = sampleReport(rank);
      report.job.run_id = run_id;
      report.job.host = rank == 1 && i > 1 ? "node2" : "node1";
      writeText(folder / (std::to_string(i++) + ".json"), reportToJson(report));
    }
  }
  LiveFolder live(folder.path(), "node1", kKeep);
  for (int look = 0; look < 2; ++look) {
    const LiveReports found = live.read(Clock::now());
    REQUIRE(found.reports.size() == 3);
    CHECK(found.reports[0]->job.run_id == "a");
    CHECK(found.reports[1]->job.rank == 0);
    CHECK(found.reports[2]->job.rank == 1);
  }
}

TEST_CASE("LiveFolder reports an unreadable file until it is readable") {
  const TempFolder folder;
  writeText(folder / "x.json", "{");
  writeText(folder / "y.ledger", "no ledger");
  LiveFolder live(folder.path(), "node1", kKeep);
  CHECK(live.read(Clock::now()).problems.size() == 2);
  writeText(folder / "x.json", reportToJson(sampleReport(0)));
  std::filesystem::remove(folder / "y.ledger");
  const LiveReports found = live.read(Clock::now());
  CHECK(found.problems.empty());
  CHECK(found.reports.size() == 1);
}

constexpr uint64_t kSecond = 1'000'000'000;

TEST_CASE("a job is idle since the last activity of its most recent process") {
  Report first;
  first.job.started_at_ns = 5 * kSecond;
  Report second = first;
  second.steps.push_back({.started_at_ns = 8 * kSecond});
  const std::vector<const Report*> reports = {&first, &second};
  CHECK(idleSeconds(reports, 70 * kSecond) == 62);
  CHECK(idleSeconds(reports, 7 * kSecond) == 0);
}

} // namespace

} // namespace commtap
