// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/report_archive.h"

#include <doctest/doctest.h>

#include "report/json/report_json.h"
#include "report/merge/fast_report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::vector<std::shared_ptr<const Report>> reports() {
  return {std::make_shared<Report>(sampleReport(0)), std::make_shared<Report>(sampleReport(1))};
}

TEST_CASE("an archive holds the reports as they are") {
  const TempFolder folder;
  CHECK(unpackArchive(archiveOf(reports()), folder / "node1").empty());
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"node1-0.json.zst", "node1-1.json.zst"});
  FastReportReader reader;
  const Result<Report> report = reader.read(folder / "node1-1.json.zst", ReportDepth::kAll);
  REQUIRE(report);
  CHECK(reportToJson(*report) == reportToJson(sampleReport(1)));
  CHECK(unpackArchive("", folder / "none").empty());
}

TEST_CASE("an archive that is cut or no archive is refused") {
  const TempFolder folder;
  const std::string archive = archiveOf(reports());
  CHECK(has(unpackArchive(archive.substr(0, archive.size() - 1), folder / "a"), "not complete"));
  CHECK(has(unpackArchive("<html>", folder / "b"), "not complete"));
  CHECK(has(unpackArchive("12", folder / "c"), "not complete"));
  CHECK(has(unpackArchive(archive, folder / "nowhere/x"), "cannot write"));
}

} // namespace
} // namespace commtap
