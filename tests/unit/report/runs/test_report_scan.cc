// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_scan.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

void put(const TempFolder& folder, const std::string& name, int64_t rank, const std::string& run, int64_t attempt = 0) {
  Report report = sampleReport(rank);
  report.job.run_id = run;
  report.job.attempt = attempt;
  report.job.started_at_ns += (run == "new" ? 1000 : 0) * 1'000'000'000ULL;
  writeText(folder / name, reportToJson(report));
}

TEST_CASE("scanReports reads ranks from JSON and ledgers and skips other documents") {
  const TempFolder folder;
  put(folder, "zzz.json", 0, "sample-run");
  put(folder, "aaa.json", 2, "sample-run");
  REQUIRE(sampleLedger(1)->publish(folder / "x.ledger"));
  REQUIRE(sampleLedger(2)->publish(folder / "double.ledger"));
  writeText(folder / "job.json", "{\"schema\": \"commtap.job/2\"}");
  writeText(folder / "bad.json", "{");
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan);
  CHECK(scan->problems.size() == 1);
  CHECK(scan->problems[0].find("bad.json") != std::string::npos);
  const auto selected = selectReports(*scan, {});
  REQUIRE(selected);
  REQUIRE(selected->reports.size() == 3);
  for (int64_t rank = 0; rank < 3; ++rank) {
    CHECK(selected->reports[static_cast<size_t>(rank)].job.rank == rank);
  }
  CHECK(selected->reports[1].is_ledger);
  CHECK_FALSE(selected->reports[2].is_ledger);
}

TEST_CASE("selectReports returns the newest run's last attempt, or the requested ones") {
  const TempFolder folder;
  put(folder, "a.json", 0, "old");
  put(folder, "b.json", 0, "new", 0);
  put(folder, "c.json", 0, "new", 2);
  put(folder, "d.json", 1, "new", 2);
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan);
  const std::vector<FoundRun> runs = runsOf(*scan);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].run_id == "new");
  CHECK(selectReports(*scan, {})->reports.size() == 2);
  CHECK(selectReports(*scan, {})->attempts == std::vector<int64_t>{0, 2});
  CHECK(selectReports(*scan, {})->other_runs == 1);
  CHECK(selectReports(*scan, {std::nullopt, 0})->reports.size() == 1);
  CHECK(selectReports(*scan, {"old", std::nullopt})->reports.size() == 1);
  CHECK(
      selectReports(*scan, {"none", std::nullopt}).error() ==
      "there is no report of run \"none\"; the newest are \"new\", \"old\"");
  CHECK(selectReports(*scan, {std::nullopt, 1}).error() == "there is no report of attempt 1; the run has 0 to 2");
}

TEST_CASE("scanReports fails if there are no reports") {
  const TempFolder folder;
  CHECK(scanReports(folder.path(), nullptr).error().find("holds no report") != std::string::npos);
  CHECK(scanReports(folder / "none", nullptr).error().find("does not exist") != std::string::npos);
}

TEST_CASE("reports are ordered by rank, those without a rank last, whatever the files are called") {
  const TempFolder folder;
  put(folder, "a.json", 2, "run");
  std::filesystem::create_directory(folder / "sub");
  put(folder, "sub/b.json", 0, "run");
  Report unranked = sampleReport(1);
  unranked.job.run_id = "run";
  unranked.job.rank = std::nullopt;
  unranked.job.pid = 77;
  writeText(folder / "0.json", reportToJson(unranked));
  writeText(folder / "notes.txt", "not ours");
  const auto selected = selectReports(*scanReports(folder.path(), nullptr), {});
  REQUIRE(selected->reports.size() == 3);
  CHECK(selected->reports[0].job.rank == 0);
  CHECK(selected->reports[1].job.rank == 2);
  CHECK_FALSE(selected->reports[2].job.rank);
}

TEST_CASE("one file may be scanned alone, under any name") {
  const TempFolder folder;
  put(folder, "x", 2, "run");
  CHECK(scanReports(folder / "x", nullptr)->reports.size() == 1);
  REQUIRE(sampleLedger(1)->publish(folder / "y"));
  CHECK(scanReports(folder / "y", nullptr)->reports[0].is_ledger);
}

TEST_CASE("one rank may be selected") {
  const TempFolder folder;
  put(folder, "a.json", 0, "run");
  put(folder, "b.json", 1, "run");
  const auto scan = scanReports(folder.path(), nullptr);
  CHECK(selectReports(*scan, {.rank = 1})->reports.size() == 1);
  CHECK(selectReports(*scan, {.rank = 2}).error() == "there is no report of rank 2 in attempt 0");
}

TEST_CASE("files that cannot be read are named, and the rest is read") {
  const TempFolder folder;
  put(folder, "good.json", 0, "run");
  writeText(folder / "bad.json", "{");
  writeText(folder / "bad.ledger", "no ledger");
  const auto scan = scanReports(folder.path(), nullptr);
  CHECK(scan->reports.size() == 1);
  REQUIRE(scan->problems.size() == 2);
  CHECK(scan->problems[0].find(folder / "bad.json: no JSON document") == 0);
  CHECK(scan->problems[1].find(folder / "bad.ledger: not a commtap ledger") == 0);
}

TEST_CASE("only files that cannot be read are an error") {
  const TempFolder folder;
  writeText(folder / "bad.json", "{");
  CHECK(scanReports(folder.path(), nullptr).error().find("bad.json") != std::string::npos);
}

TEST_CASE("many foreign files give one line with their number") {
  const TempFolder folder;
  put(folder, "good.json", 0, "run");
  for (int i = 0; i < 50; ++i) {
    writeText(folder / ("note" + std::to_string(i) + ".json"), "{\"a\": 1}");
  }
  writeText(folder / "cut.json", "{\n  \"schema\": \"commtap/2\",\n");
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan->problems.size() == 2);
  CHECK(has(scan->problems[0], "cut.json: no JSON document"));
  CHECK(scan->problems[1].starts_with(
      "50 files are not commtap's, among them " + (folder / "note0.json: not a commtap")));
}

/// Limits the size of inputs for its lifetime.
class InputLimit {
 public:
  explicit InputLimit(uint64_t bytes) {
    setMaxInputSize(bytes);
  }
  InputLimit(const InputLimit&) = delete;
  InputLimit& operator=(const InputLimit&) = delete;
  ~InputLimit() {
    setMaxInputSize(kDefaultMaxInputSize);
  }
};

TEST_CASE("a file of zeros is read only at its start, and a larger one than allowed not at all") {
  const TempFolder folder;
  put(folder, "good.json", 0, "run");
  for (const char* name : {"zeros.json", "zeros.ledger"}) {
    writeText(folder / name, "");
    std::filesystem::resize_file(folder / name, 900ULL << 20U);
  }
  const auto began = std::chrono::steady_clock::now();
  const auto scan = scanReports(folder.path(), nullptr);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(2));
  CHECK(scan->reports.size() == 1);
  REQUIRE(scan->problems.size() == 2);
  CHECK(has(scan->problems[0], "zeros.json: no JSON document"));
  CHECK(has(scan->problems[1], "zeros.ledger: not a commtap ledger"));
  const InputLimit limit(1000);
  const auto limited = scanReports(folder.path(), nullptr);
  CHECK(has(limited.error(), "good.json has "));
  CHECK(has(limited.error(), " bytes, but --max-file-size is 1000"));
}

TEST_CASE("pipes, devices and files of the kernel are never opened") {
  const TempFolder folder;
  put(folder, "good.json", 0, "run");
  REQUIRE(mkfifo((folder / "pipe.json").c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/zero", folder / "device.json");
  std::filesystem::create_symlink("/proc/self/mem", folder / "memory.json");
  std::filesystem::create_symlink("/proc/self/mem", folder / "memory.ledger");
  const auto scan = scanReports(folder.path(), nullptr);
  CHECK(scan->reports.size() == 1);
  CHECK(
      scan->problems ==
      std::vector<std::string>{
          (folder / "memory.json") + " is not a regular file", (folder / "memory.ledger") + " is not a regular file"});
  CHECK(scanReports(folder / "pipe.json", nullptr).error() == (folder / "pipe.json") + " is not a regular file");
  CHECK(scanReports("/dev/zero", nullptr).error() == "/dev/zero is not a regular file");
}

TEST_CASE("progress reaches the last file") {
  const TempFolder folder;
  put(folder, "a.json", 0, "run");
  put(folder, "b.json", 1, "run");
  size_t calls = 0;
  const auto scan = scanReports(folder.path(), [&](size_t done, size_t total) {
    ++calls;
    CHECK(done == calls);
    CHECK(total == 2);
  });
  CHECK(scan);
  CHECK(calls == 2);
}

TEST_CASE("copies of a process's files are counted once, and each is named") {
  const TempFolder folder;
  put(folder, "rank-00001.json", 1, "sample-run");
  std::filesystem::create_directory(folder / "backup");
  put(folder, "backup/rank-00001.json", 1, "sample-run");
  REQUIRE(sampleLedger(1)->publish(folder / "backup/old.ledger"));
  REQUIRE(sampleLedger(1)->publish(folder / "rank-00001.ledger"));
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan);
  REQUIRE(scan->reports.size() == 1);
  CHECK(scan->reports[0].path == folder / "rank-00001.json");
  CHECK(scan->problems.empty());
  const std::string kept = " holds the same process as " + (folder / "rank-00001.json") + ", which is counted";
  CHECK(
      scan->copies ==
      std::vector<std::string>{(folder / "backup/old.ledger") + kept, (folder / "backup/rank-00001.json") + kept});
}

TEST_CASE("of two ledgers of a process, the one with more calls is counted") {
  const TempFolder folder;
  const auto ledger = sampleLedger(1);
  REQUIRE(ledger->publish(folder / "a.ledger"));
  std::filesystem::copy_file(folder / "a.ledger", folder / "copy.ledger");
  std::filesystem::rename(folder / "a.ledger", folder / "z.ledger");
  CollectiveKey key{};
  key.op = ledger->intern("c10d.allreduce_");
  countOne(*ledger, key, 4);
  const auto scan = scanReports(folder.path(), nullptr);
  REQUIRE(scan);
  REQUIRE(scan->reports.size() == 1);
  CHECK(scan->reports[0].path == folder / "z.ledger");
  CHECK(scan->copies.size() == 1);
}

TEST_CASE("another attempt of a process is not a copy") {
  const TempFolder folder;
  put(folder, "a.json", 1, "run", 0);
  put(folder, "b.json", 1, "run", 1);
  const auto scan = scanReports(folder.path(), nullptr);
  CHECK(scan->reports.size() == 2);
  CHECK(scan->copies.empty());
}

TEST_CASE("links in a circle and broken links do no harm") {
  const TempFolder folder;
  put(folder, "a.json", 0, "run");
  std::filesystem::create_symlink(folder.path(), folder / "loop");
  std::filesystem::create_symlink(folder / "none", folder / "0.json");
  const auto scan = scanReports(folder.path(), nullptr);
  CHECK(scan->reports.size() == 1);
  CHECK(scan->problems.empty());
}

using Positions = std::vector<size_t>;
using Lines = std::vector<std::string>;

/// Returns the job of a process; `pid` makes it another one's.
Job jobWith(uint64_t pid, bool has_ended = true) {
  Job job = sampleReport(0).job;
  job.pid = pid;
  job.ended_at_ns = has_ended ? std::optional<uint64_t>(5) : std::nullopt;
  return job;
}

TEST_CASE("the calls of a report are those of its rows, at most the largest number") {
  Report report = sampleReport(0);
  CHECK(callsOf(report) == 4);
  report.collectives[0].count = report.collectives[1].count = ~uint64_t{0};
  CHECK(callsOf(report) == ~uint64_t{0});
  CHECK(callsOf({}) == 0);
}

TEST_CASE("each process is counted once: a report before a ledger, and one that has ended before one that has not") {
  const Job ended = jobWith(7);
  const Job running = jobWith(7, false);
  const Job other = jobWith(8);
  Lines copies;
  CHECK(
      oneFilePerProcess(
          {{"out/a.ledger", &ended, true, 9},
           {"out/b.json", &running},
           {"out/c.json", &ended},
           {"out/other.ledger", &other, true, 1}},
          copies) == Positions{2, 3});
  CHECK(copies == Lines{"out/b.json holds the same process as out/c.json, which is counted"});
}

TEST_CASE("a ledger in another folder than its report's is a copy") {
  const Job job = jobWith(7);
  Lines copies;
  CHECK(oneFilePerProcess({{"out/copy/a.ledger", &job, true, 9}, {"out/a.json", &job}}, copies) == Positions{1});
  CHECK(copies == Lines{"out/copy/a.ledger holds the same process as out/a.json, which is counted"});
}

TEST_CASE("of equal files the one with most calls is counted, then the one in the highest folder, then by name") {
  const Job job = jobWith(7);
  Lines copies;
  CHECK(oneFilePerProcess({{"a.ledger", &job, true, 3}, {"x/b.ledger", &job, true, 4}}, copies) == Positions{1});
  CHECK(oneFilePerProcess({{"x/a.json", &job}, {"b.json", &job}}, copies) == Positions{1});
  CHECK(oneFilePerProcess({{"b.json", &job}, {"a.json", &job}}, copies) == Positions{1});
  CHECK(copies.size() == 3);
}

} // namespace
} // namespace commtap
