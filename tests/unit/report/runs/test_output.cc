// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/output.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "report/base/process.h"
#include "report/base/timestamp.h"
#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

const OutputIdentity kRank3 = {"node/1", 42, 3, "job 7", 0};

TEST_CASE("folder patterns are expanded, and the expanded values add no folders") {
  CHECK(expandOutputPattern("out/%h/%j-%r.%p", kRank3) == "out/node_1/job_7-3.42");
  CHECK(expandOutputPattern("100%%", kRank3) == "100%");
  CHECK(expandOutputPattern("%j", {"h", 1, -1, "../../x", 0}) == "_.._.._x");
  CHECK(expandOutputPattern("%j", {"h", 1, -1, "", 0}) == "_");
  CHECK(expandOutputPattern("%r", {"h", 1, -1, "", 0}) == "none");
  CHECK(expandOutputPattern("a%", kRank3) == "a%");
  CHECK(expandOutputPattern("%x", kRank3) == "%x");
}

TEST_CASE("the common folder ends before the first pattern that differs between processes") {
  CHECK(commonFolder("out", "r") == "out");
  CHECK(commonFolder("/a/b/", "r") == "/a/b");
  CHECK(commonFolder("/a/%j/%h/x", "r 1") == "/a/r_1");
  CHECK(commonFolder("/a/50%%/rank-%r", "r") == "/a/50%");
  CHECK(commonFolder("/a/%%h/x", "r") == "/a/%h/x");
  CHECK(startOfVariable("/a/%j/%h/x") == 6);
  CHECK(startOfVariable("p-%r") == 0);
  CHECK_FALSE(startOfVariable("/a/%%h/x"));
  CHECK(commonFolder("%p/x", "r") == ".");
  CHECK(commonFolder("/%h", "r") == "/");
  CHECK(commonFolder("/a/%j/%h/x") == "/a");
  CHECK(commonFolder("/a/50%%/%%j/run-%j") == "/a/50%/%j");
}

TEST_CASE("a report is named after its rank, or else after host and pid") {
  CHECK(reportName(kRank3) == "rank-00003");
  CHECK(reportName({"n", 42, 100000, "", 0}) == "rank-100000");
  CHECK(reportName({"n", 42, 3, "", 2}) == "attempt-2/rank-00003");
  CHECK(reportName({"n/1", 42, -1, "", 0}) == "pid-n_1-42");
}

TEST_CASE("a ledger is named after host and pid") {
  CHECK(ledgerFileName("out/rank-00003", kRank3) == "out/rank-00003.node_1-42.ledger");
}

Report reportOf(uint64_t pid, const std::string& run_id, uint64_t started_at_ns, std::optional<uint64_t> ended_at_ns) {
  Report report = sampleReport(0);
  report.job.pid = pid;
  report.job.run_id = run_id;
  report.job.started_at_ns = started_at_ns;
  report.job.ended_at_ns = ended_at_ns;
  return report;
}

TEST_CASE("only its own report is replaced: another process's stays, of whatever run") {
  const TempFolder folder;
  const std::string plain = folder / "rank-00000.json";
  const std::string with_pid = folder / "rank-00000.pid-2.json";
  const uint64_t now = 2000 * kNsPerSecond;
  const uint64_t long_ago = 1000 * kNsPerSecond;
  const Job job = reportOf(2, "run", now + 1, now).job;
  const auto choose = [&](const Report& there) {
    writeText(plain, reportToJson(there));
    return chooseReportPath(folder.path(), "rank-00000", job);
  };
  CHECK(chooseReportPath(folder.path(), "rank-00000", job) == plain);
  CHECK(choose(reportOf(1, "run", now, now)) == with_pid);
  CHECK(choose(reportOf(1, "run", now, std::nullopt)) == with_pid);
  CHECK(choose(reportOf(1, "other", now, now)) == with_pid);
  CHECK(choose(reportOf(1, "run", long_ago, long_ago)) == with_pid);
  CHECK(choose(reportOf(2, "run", long_ago, long_ago)) == with_pid);
  // The file is of this process: JSON has truncated its start time to microseconds.
  CHECK(choose(reportOf(2, "run", now, now)) == plain);
}

TEST_CASE("a name is found however many reports of one pid there are") {
  const TempFolder folder;
  constexpr uint64_t kReports = 120;
  for (uint64_t nth = 1; nth <= kReports; ++nth) {
    const Report report = reportOf(2, "run", nth * kNsPerSecond, std::nullopt);
    writeText(chooseReportPath(folder.path(), "rank-00000", report.job), reportToJson(report));
  }
  CHECK(namesIn(folder.path()).size() == kReports);
}

TEST_CASE("patternOf quotes percent signs") {
  CHECK(expandOutputPattern(patternOf("/tmp/50%h/%"), kRank3) == "/tmp/50%h/%");
}

TEST_CASE("a process that called exec twice leaves three reports with its pid") {
  const TempFolder folder;
  std::vector<std::string> names;
  for (uint64_t nth = 1; nth <= 3; ++nth) {
    const Report report = reportOf(2, "run", nth * kNsPerSecond, std::nullopt);
    const std::string path = chooseReportPath(folder.path(), "rank-00000", report.job);
    names.push_back(std::filesystem::path(path).filename());
    writeText(path, reportToJson(report));
  }
  CHECK(names == std::vector<std::string>{"rank-00000.json", "rank-00000.pid-2.json", "rank-00000.pid-2.2.json"});
}

TEST_CASE("a ledger's name gives the pid only on its own host") {
  CHECK(pidOfLedger("rank-00003.node_1-42.ledger", "node/1") == 42);
  CHECK(pidOfLedger("rank-00003.node_1-42.ledger.1.ledger", "node/1") == 42);
  CHECK(pidOfLedger("rank-00003.node_1-42.ledger", "node") == std::nullopt);
  CHECK(pidOfLedger("rank-00003.node_1-42.json", "node/1") == std::nullopt);
  CHECK(pidOfLedger("rank-00003.node_1-x.ledger", "node/1") == std::nullopt);
}

TEST_CASE("a file that is not a report is not replaced") {
  const TempFolder folder;
  writeText(folder / "rank-00000.json", "{\"mine\": 1}");
  const Job job = reportOf(2, "run", 1, 2).job;
  CHECK(chooseReportPath(folder.path(), "rank-00000", job) == folder / "rank-00000.pid-2.json");
}

TEST_CASE("a pipe or a link with the report's name is left alone and does not block") {
  const TempFolder folder;
  const Job job = reportOf(2, "run", 1, 2).job;
  const std::string with_pid = folder / "rank-00000.pid-2.json";
  writeText(folder / "older", reportToJson(reportOf(1, "other", 1, 2)));
  REQUIRE(symlink((folder / "older").c_str(), (folder / "rank-00000.json").c_str()) == 0);
  CHECK(chooseReportPath(folder.path(), "rank-00000", job) == with_pid);
  REQUIRE(unlink((folder / "rank-00000.json").c_str()) == 0);
  REQUIRE(symlink((folder / "none").c_str(), (folder / "rank-00000.json").c_str()) == 0);
  CHECK(chooseReportPath(folder.path(), "rank-00000", job) == with_pid);
  REQUIRE(unlink((folder / "rank-00000.json").c_str()) == 0);
  REQUIRE(mkfifo((folder / "rank-00000.json").c_str(), 0600) == 0);
  CHECK(chooseReportPath(folder.path(), "rank-00000", job) == with_pid);
}

} // namespace
} // namespace commtap
