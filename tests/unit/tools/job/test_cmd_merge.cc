// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("merge prints text or JSON and writes a file") {
  const TempFolder folder;
  for (int64_t rank = 0; rank < 4; ++rank) {
    writeText(folder / (std::to_string(rank) + ".json"), reportToJson(sampleReport(rank)));
  }
  CHECK(runCommtap({"merge", folder.path()}).out.find("sum over 4 of 4 ranks: 0-3\n") != std::string::npos);
  const Outcome json = runCommtap({"merge", folder.path(), "--format", "json", "-o", folder / "out.job"});
  CHECK(json.status() == 0);
  CHECK(json.err.empty());
  CHECK(jobReportFromJson(json.out));
  CHECK(readText(folder / "out.job") == json.out);
  CHECK(runCommtap({"merge", folder.path(), "-o", folder / "no/such"}).status() == 1);
}

TEST_CASE("merge exits with 1 if ranks disagree, and with 1 or 2 and one line if there are no reports") {
  const TempFolder folder;
  Report report = sampleReport(1);
  report.collectives[0].count += 1;
  writeText(folder / "0.json", reportToJson(sampleReport(0)));
  writeText(folder / "1.json", reportToJson(report));
  CHECK(runCommtap({"merge", folder.path()}).status() == 1);
  CHECK(runCommtap({"merge", folder / "0.json"}).status() == 0);
  const TempFolder empty;
  CHECK(runCommtap({"merge", empty.path()}).status() == 1);
  for (const Words& arguments :
       {Words{"merge"}, {"merge", empty / "none"}, {"merge", empty.path(), "--format", "xml"}, {"merge", "a", "b"}}) {
    const Outcome wrong = runCommtap(arguments);
    CHECK(wrong.status() == 2);
    CHECK(wrong.err.find('\n') == wrong.err.size() - 1);
  }
}

} // namespace
} // namespace commtap
