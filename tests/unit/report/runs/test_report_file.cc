// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "report/base/decompression.h"
#include "report/base/file_descriptor.h"
#include "report/base/text_file.h"
#include "report/base/timestamp.h"
#include "report/json/report_json.h"
#include "report/runs/output.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("writing a report creates its folders") {
  const TempFolder folder;
  const Result<std::string> path = writeReportFile(folder.path() + "/new", "attempt-1/rank0", sampleReport(0));
  REQUIRE(path);
  CHECK(*path == folder.path() + "/new/attempt-1/rank0.json");
  CHECK(access(path->c_str(), R_OK) == 0);
}

TEST_CASE("a process's own report has its end_ns, whatever the value and the neighbouring fields") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.own_cost = OwnCost{.start_ns = 7, .memory_bytes = 9};
  report.not_seen.push_back({"unknown_op", 1, "\"end_ns\":0", "\"end_ns\":0"});
  for (const uint64_t end_ns : {uint64_t{0}, uint64_t{12'345'678}, ~uint64_t{0}}) {
    const Result<std::string> path =
        writeReportFile(folder.path(), "rank0", report, Compress::kOff, [&] { return end_ns; });
    REQUIRE(path);
    report.own_cost->end_ns = end_ns;
    const Result<Report> read = reportFromJson(readText(*path));
    REQUIRE(read);
    CHECK(read->own_cost == report.own_cost);
    CHECK(read->not_seen.back().detail == report.not_seen.back().detail);
    report.own_cost->end_ns = 0;
  }
}

TEST_CASE("a report written in pieces equals one written at once") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.own_cost = OwnCost{.start_ns = 7, .memory_bytes = 9};
  const Collective row = report.collectives.at(0);
  while (reportToJson(report).size() < 5 * kReportPiece / 2) {
    report.collectives.insert(report.collectives.end(), 1000, row);
  }
  const Result<std::string> plain = writeReportFile(folder.path(), "plain", report);
  REQUIRE(plain);
  CHECK(readText(*plain) == reportToJson(report));
  const Result<std::string> own = writeReportFile(folder.path(), "own", report, Compress::kOff, [] { return 5; });
  REQUIRE(own);
  report.own_cost->end_ns = 5;
  const Result<Report> read = reportFromJson(readText(*own));
  REQUIRE(read);
  CHECK(reportToJson(*read) == reportToJson(report));
}

TEST_CASE("a compressed report is the same text, and far smaller") {
  const TempFolder folder;
  Report report = sampleReport(0);
  report.own_cost = OwnCost{.start_ns = 7, .memory_bytes = 9};
  const Collective row = report.collectives.at(0);
  report.collectives.insert(report.collectives.end(), 20'000, row);
  const auto end_ns = [] { return 5; };
  const Result<std::string> plain = writeReportFile(folder.path(), "plain", report, Compress::kOff, end_ns);
  REQUIRE(plain);
  const std::string text = readText(*plain);
  for (const Compress how : {Compress::kGzip, Compress::kZstd}) {
    const Result<std::string> path = writeReportFile(folder.path(), "rank-00000", report, how, end_ns);
    REQUIRE(path);
    CHECK(*path == (folder / "rank-00000") + std::string(endingOf(how)));
    CHECK(readText(*path).size() < text.size() / 50);
    const Result<std::string> read = readJsonInput(*path);
    REQUIRE(read);
    CHECK(*read == text);
    const Result<Job> head = readReportHead(*path);
    REQUIRE(head);
    CHECK(head->pid == report.job.pid);
  }
}

TEST_CASE("no report replaces that of another process, whatever its run, age and ending") {
  const TempFolder folder;
  Report report = sampleReport(0);
  const std::string first = reportToJson(report);
  REQUIRE(writeReportFile(folder.path(), "rank-00000", report));
  report.job.run_id += "-next";
  report.job.pid += 1;
  report.job.started_at_ns += 3600 * kNsPerSecond;
  const std::string pid = std::to_string(report.job.pid);
  REQUIRE(writeReportFile(folder.path(), "rank-00000", report, Compress::kZstd));
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json", "rank-00000.pid-" + pid + ".json.zst"});
  CHECK(readText(folder / "rank-00000.json") == first);
  // Its own report is replaced, with any ending.
  REQUIRE(writeReportFile(folder.path(), "rank-00000", report));
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"rank-00000.json", "rank-00000.pid-" + pid + ".json"});
}

TEST_CASE("processes that write one name at the same time, in a folder without locks, lose no report") {
  const TempFolder folder;
  constexpr int kProcesses = 8;
  // The lock of the folder is held, so that each process gives up waiting for it.
  const FileDescriptor other(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(other.get(), LOCK_EX | LOCK_NB) == 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < kProcesses; ++i) {
    threads.emplace_back([&folder, i] {
      Report report = sampleReport(0);
      report.job.pid = static_cast<uint64_t>(1000 + i);
      writeReportFile(folder.path(), "rank-00000", report);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::set<uint64_t> pids;
  for (const std::string& name : namesIn(folder.path())) {
    pids.insert(reportFromJson(readText(folder / name))->job.pid);
  }
  CHECK(pids.size() == kProcesses);
}

TEST_CASE("a locked folder delays the end of a job by at most two seconds") {
  const TempFolder folder;
  const FileDescriptor other(open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(flock(other.get(), LOCK_EX | LOCK_NB) == 0);
  const auto began = std::chrono::steady_clock::now();
  const Result<std::string> path = writeReportFile(folder.path(), "rank0", sampleReport(0));
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
  REQUIRE(path);
  CHECK(access(path->c_str(), R_OK) == 0);
  CHECK(waited.count() >= 2);
}

TEST_CASE("a folder that cannot be created is an error with the system's reason") {
  const TempFolder folder;
  const std::string file = folder.path() + "/file";
  REQUIRE(close(open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
  const Result<std::string> path = writeReportFile(file + "/below", "rank0", sampleReport(0));
  REQUIRE_FALSE(path);
  CHECK(path.error().find("Not a directory") != std::string::npos);
}

std::string compressed(Compress how, const std::string& text, size_t piece) {
  const std::unique_ptr<Compressor> compressor = makeCompressor(how);
  std::string out;
  for (size_t at = 0; at < text.size(); at += piece) {
    out += compressor->add(std::string_view(text).substr(at, piece), false);
  }
  return out + compressor->add("", true);
}

TEST_CASE("a compressed text comes back, in whichever pieces it was added") {
  std::string text;
  for (int i = 0; i < 60'000; ++i) {
    text += "layers." + std::to_string(i % 977) + (i % 13 == 0 ? "\n" : ".attention.wo ");
  }
  for (const Compress how : {Compress::kGzip, Compress::kZstd}) {
    for (const size_t piece : {size_t{1000}, size_t{300'000}, text.size()}) {
      const std::string data = compressed(how, text, piece);
      CHECK(isCompressed(data));
      CHECK(data.size() < text.size() / 10);
      const Result<std::string> back = decompress(data, text.size());
      REQUIRE(back);
      CHECK(*back == text);
    }
    CHECK(*decompress(compressed(how, "", 1), 0) == "");
  }
}

TEST_CASE("without compression the pieces are as they are") {
  CHECK(compressed(Compress::kOff, "{\"schema\": 1}", 4) == "{\"schema\": 1}");
}

} // namespace
} // namespace commtap
