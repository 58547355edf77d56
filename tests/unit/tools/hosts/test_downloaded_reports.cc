// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/report_archive.h"

#include <doctest/doctest.h>

#include <filesystem>

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
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace commtap
