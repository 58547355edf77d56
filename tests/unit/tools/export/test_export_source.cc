// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/json/report_json.h"
#include "report/runs/output.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr auto kQuiet = [](size_t, size_t) {};

/// A folder with two runs of two ranks each.
class TwoRuns : public TempFolder {
 public:
  TwoRuns() {
    for (const int64_t rank : {0, 1, 2, 3}) {
      Report report = sampleReport(rank % 2);
      report.job.run_id = rank < 2 ? "old" : "new";
      report.job.started_at_ns += rank < 2 ? 0 : 1'000'000'000;
      report.job.host = rank % 2 == 0 ? "node1" : "node2";
      writeText(*this / (std::to_string(rank) + ".json"), reportToJson(report));
    }
  }
};

std::vector<std::string> chosen(const std::string& path, const ExportSelection& selection) {
  const ReportScan scan = *scanReports(path, kQuiet);
  const Result<std::vector<FoundReport>> found = chosenReports(scan, selection);
  REQUIRE(found);
  std::vector<std::string> names;
  for (const FoundReport& report : *found) {
    names.push_back(std::filesystem::path(report.path).stem());
  }
  return names;
}

TEST_CASE("chosenReports returns the newest run, a named run, or all runs") {
  const TwoRuns folder;
  using Names = std::vector<std::string>;
  CHECK(chosen(folder.path(), {}) == Names{"2", "3"});
  CHECK(chosen(folder.path(), {{"old", std::nullopt}, false, std::nullopt, ""}) == Names{"0", "1"});
  CHECK(chosen(folder.path(), {{}, true, std::nullopt, ""}) == Names{"2", "3", "0", "1"});
  CHECK(chosen(folder.path(), {{}, true, 1, ""}) == Names{"3", "1"});
  CHECK(chosen(folder.path(), {{}, false, std::nullopt, "node2"}) == Names{"3"});
}

TEST_CASE("chosenReports fails if no report matches") {
  const TwoRuns folder;
  const ReportScan scan = *scanReports(folder.path(), kQuiet);
  CHECK(chosenReports(scan, {{}, false, 7, ""}).error() == "no report of this rank or host (see commtap show)");
  CHECK_FALSE(chosenReports(scan, {{"none", std::nullopt}, false, std::nullopt, ""}));
}

TEST_CASE("a ledger that was converted after the scan is read as a report") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  const std::string path = folder / ledgerFileName("rank-00000", {"node1", 1000, -1, "", 0});
  REQUIRE(ledger->publish(path));
  const ReportScan scan = *scanReports(folder.path(), kQuiet);
  std::filesystem::remove(path);
  std::vector<std::string> problems;
  size_t read = 0;
  readEach(scan.reports, kQuiet, problems, [&read](const Report&) { ++read; });
  CHECK(read == 0);
  CHECK(problems.size() == 1);
  problems.clear();
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  readEach(scan.reports, kQuiet, problems, [&read](const Report& report) { read += report.collectives.size(); });
  CHECK(read == 3);
  CHECK(problems.empty());
}

} // namespace
} // namespace commtap
