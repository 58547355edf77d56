// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "report/json/report_json.h"
#include "tests/unit/programs.h"
#include "tools/cli/run_note.h"

namespace commtap {
namespace {

/// Writes the reports of 4 ranks that have exited, of which rank 2 made `missing` collectives less.
void writeReports(
    const TempFolder& folder,
    uint64_t missing,
    const std::string& run = "sample-run",
    uint64_t later_ns = 0) {
  for (const int64_t rank : {0, 1, 2, 3}) {
    Report report = sampleReport(rank);
    report.job.exit = ExitKind::kNormal;
    report.job.run_id = run;
    report.job.started_at_ns += later_ns;
    report.job.pid += later_ns;
    if (rank == 2) {
      for (uint64_t i = 0; i < missing; ++i) {
        report.last.pop_back();
        --report.groups.front().collectives;
      }
    }
    writeText(folder / (run + std::to_string(rank) + ".json"), reportToJson(report));
  }
}

TEST_CASE("why exits with 0 for a healthy job, and with 1 and the rank for one whose ranks waited") {
  const TempFolder good;
  writeReports(good, 0);
  CHECK(runCommtap({"why", good.path()}).status() == 0);
  const TempFolder bad;
  writeReports(bad, 1);
  const Outcome outcome = runCommtap({"why", "--json", bad.path()});
  CHECK(outcome.status() == 1);
  const nlohmann::json verdict = nlohmann::json::parse(outcome.out);
  CHECK(verdict["reason"] == "exited");
  CHECK(verdict["cause"] == "2");
  CHECK(has(runCommtap({"why", bad.path()}).out, "rank 2 has not entered"));
}

TEST_CASE("why exits with 2 without a verdict, and for wrong usage") {
  const TempFolder empty;
  CHECK(runCommtap({"why", empty.path()}).status() == 2);
  CHECK(runCommtap({"why", empty / "none"}).status() == 2);
  CHECK(runCommtap({"why"}).status() == 2);
  CHECK(runCommtap({"why", "--exec", "true", empty.path()}).status() == 2);
  for (const char* time : {"soon", "-1s", "0", "99999999h"}) {
    CHECK(runCommtap({"why", "--after", time, empty.path()}).status() == 2);
  }
  CHECK(has(runCommtap({"why", "--watch", "--webhook", "host", empty.path()}).err, "expected a URL"));
}

TEST_CASE("why names a later run that failed without a report") {
  const TempFolder folder;
  writeReports(folder, 0);
  RunNote note{.run_id = "lost", .started_at_ns = 1, .exit_status = 1};
  REQUIRE(writeRunNote(folder.path(), note).empty());
  CHECK(runCommtap({"why", folder.path()}).err.empty()); // of an earlier run
  note.started_at_ns = 3'000'000'000'000'000'000;
  REQUIRE(writeRunNote(folder.path(), note).empty());
  const Outcome outcome = runCommtap({"why", folder.path()});
  CHECK(outcome.status() == 0);
  CHECK(has(outcome.err, "commtap: run lost, started 2065-01-24T05:20:00Z, ended with status 1 and left no report"));
}

TEST_CASE("why judges the newest run, says that others are left out, and names one since that hangs") {
  const TempFolder folder;
  writeReports(folder, 1, "older");
  writeReports(folder, 0, "newer", 1);
  const Outcome newest = runCommtap({"why", folder.path()});
  CHECK(newest.status() == 1);
  CHECK(has(newest.out, "healthy: "));
  CHECK(has(newest.err, "commtap: 1 other run left out (commtap list, --run ID)\n"));
  CHECK(has(newest.err, "commtap: another run needs a look: commtap why --run older " + folder.path()));
  const Outcome older = runCommtap({"why", "--run", "older", folder.path()});
  CHECK(older.status() == 1);
  CHECK(has(older.out, "rank 2 has not entered"));
  CHECK(older.err.empty());
  CHECK(runCommtap({"why", "--run", "newer", folder.path()}).status() == 0);
  const Outcome none = runCommtap({"why", "--run", "nothing", folder.path()});
  CHECK(none.status() == 2);
  CHECK(has(none.err, "nothing"));
}

TEST_CASE("of several folders, the newest run of each is judged") {
  const TempFolder first;
  const TempFolder second;
  writeReports(first, 1, "one");
  writeReports(second, 0, "two", 1);
  const Outcome both = runCommtap({"why", first.path(), second.path()});
  CHECK(both.status() == 1);
  CHECK(has(both.out, "run one:\nwrong: rank 2 has not entered"));
  CHECK(has(both.out, "run two:\nhealthy: "));
  CHECK(both.err.empty());
}

TEST_CASE("times have units") {
  const TempFolder good;
  writeReports(good, 0);
  for (const char* time : {"5", "5s", "2m", "1h"}) {
    CHECK(runCommtap({"why", "--after", time, good.path()}).status() == 0);
  }
}

} // namespace
} // namespace commtap
