// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/run_folder.h"

#include <doctest/doctest.h>

#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a file is foreign if it begins neither like a report nor like a ledger") {
  const TempFolder folder;
  writeText(folder / "note.json", "{\"a\": 1}");
  writeText(folder / "cut.json", reportToJson(sampleReport(0)).substr(0, 60));
  CHECK(isForeign(folder / "note.json"));
  CHECK_FALSE(isForeign(folder / "cut.json"));
  CHECK_FALSE(isForeign(folder / "none.json"));
}

TEST_CASE("three foreign files are named, four are one line") {
  std::vector<std::string> problems = {"x"};
  CHECK(addForeign({"a", "b", "c"}, problems) == 0);
  CHECK(problems == std::vector<std::string>{"x", "a", "b", "c"});
  problems.clear();
  CHECK(addForeign({"a", "b", "c", "d"}, problems) == 3);
  CHECK(problems == std::vector<std::string>{"4 files are not commtap's, among them a"});
}

} // namespace
} // namespace commtap
