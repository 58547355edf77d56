// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_paths.h"

#include <doctest/doctest.h>

#include "report/base/atomic_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("samples files are found in all folders, and are no reports") {
  const TempFolder folder;
  REQUIRE(makeFolders(folder / "a/attempt-1").empty());
  for (const char* name : {"b.samples", "a/attempt-1/rank-00000.samples", "rank-00000.json", "samples"}) {
    writeText(folder / name, "");
  }
  std::vector<std::string> problems;
  CHECK(
      samplesPaths(folder.path(), problems) ==
      std::vector<std::string>{folder / "a/attempt-1/rank-00000.samples", folder / "b.samples"});
  CHECK(samplesPaths(folder / "b.samples", problems) == std::vector<std::string>{folder / "b.samples"});
  CHECK(problems.empty());
  CHECK_FALSE(isReportName("rank-00000.samples"));
  CHECK(reportPaths(folder.path(), problems) == std::vector<std::string>{folder / "rank-00000.json"});
}

} // namespace
} // namespace commtap
