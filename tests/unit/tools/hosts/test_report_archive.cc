// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/report_archive.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "report/json/report_json.h"
#include "report/merge/job_reader.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::vector<std::shared_ptr<const Report>> reports() {
  return {std::make_shared<Report>(sampleReport(0)), std::make_shared<Report>(sampleReport(1))};
}

/// Unpacks an archive that comes in pieces of `size` bytes.
std::string unpackArchive(std::string_view archive, const std::string& prefix, size_t size = 1000) {
  ArchiveReader reader(prefix);
  std::string problem;
  for (; !archive.empty() && problem.empty(); archive.remove_prefix(std::min(size, archive.size()))) {
    problem = reader.add(archive.substr(0, size));
  }
  return problem.empty() ? reader.finish() : problem;
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
  CHECK(unpackArchive(archiveOf(reports()), folder / "bytes", 1).empty());
  CHECK(readText(folder / "bytes-1.json.zst") == readText(folder / "node1-1.json.zst"));
}

TEST_CASE("an archive that is cut or no archive is refused") {
  const TempFolder folder;
  const std::string archive = archiveOf(reports());
  CHECK(has(unpackArchive(archive.substr(0, archive.size() - 1), folder / "a"), "not complete"));
  CHECK(has(unpackArchive("<html>", folder / "b"), "not complete"));
  for (const char* wrong : {"12", "0\n", "-1\nx", "\n\n", "99999999999999999999999999\n"}) {
    CAPTURE(wrong);
    CHECK(has(unpackArchive(wrong, folder / "c"), "not complete"));
  }
  CHECK(has(unpackArchive(archive, folder / "nowhere/x"), "cannot write"));
}

TEST_CASE("an archive writes a bounded number of files") {
  const TempFolder folder;
  std::string archive;
  for (int i = 0; i < 20'000; ++i) {
    archive += "1\nx";
  }
  CHECK(unpackArchive(archive, folder / "a", 100'000) == "its archive has more than 4096 reports");
  CHECK(namesIn(folder.path()).size() == ArchiveReader::kMostReports);
}

} // namespace
} // namespace commtap
