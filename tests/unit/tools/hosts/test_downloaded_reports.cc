// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/report_archive.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/merge/job_reader.h"
#include "report/runs/report_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the folder goes with its object") {
  std::string path;
  {
    Result<DownloadedReports> made = DownloadedReports::from(HostsView({{"127.0.0.1", 1}}, ""));
    REQUIRE(made);
    const DownloadedReports reports = std::move(*made);
    path = reports.folder();
    CHECK(std::filesystem::is_directory(path));
    CHECK(reports.missing().size() == 1);
    CHECK(reports.isEmpty());
    CHECK(reports.named(path + "/host0/rank-00000.json: x") == "127.0.0.1:1: rank-00000.json: x");
    CHECK(reports.named("other: " + path + "/host1/a") == "other: " + path + "/host1/a");
    writeText(path + "/host0", "");
    CHECK_FALSE(reports.isEmpty());
    setMaxInputSize(kDefaultMaxInputSize);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a report of a host may become as much as a report takes, and no more") {
  Result<DownloadedReports> reports = DownloadedReports::from(HostsView({{"127.0.0.1", 1}}, ""));
  REQUIRE(reports);
  CHECK(maxInputSize() == kMostMemory);
  const std::string bomb = "{\"schema\":" + std::string(kMostMemory / 2, ' ') + "1}";
  const std::string packed = makeCompressor(Compress::kZstd)->add(bomb, /*is_last=*/true);
  CHECK(packed.size() < bomb.size() / 1000);
  writeText(reports->folder() + "/a.json.zst", packed);
  writeText(
      reports->folder() + "/b.json.zst", makeCompressor(Compress::kZstd)->add(reportToJson(sampleReport(0)), true));
  FastReportReader reader;
  const Result<Report> large = reader.read(reports->folder() + "/a.json.zst");
  REQUIRE_FALSE(large);
  CHECK(has(large.error(), "--max-file-size"));
  CHECK(reader.read(reports->folder() + "/b.json.zst"));
  setMaxInputSize(kDefaultMaxInputSize);
}

} // namespace
} // namespace commtap
