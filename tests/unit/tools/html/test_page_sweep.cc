// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/page_data.h"

#include <doctest/doctest.h>

#include "report/sweep/sweep.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the page has the document of the sweep, safe in a script element") {
  const TempFolder folder;
  Sweep sweep;
  sweep.command = {"</script>"};
  writeText(folder / kSweepFile, sweepToJson(sweep));
  const Result<std::string> data = sweepData(folder / kSweepFile);
  REQUIRE(data);
  CHECK(has(*data, R"("layouts":[])"));
  CHECK_FALSE(has(*data, "<"));
}

TEST_CASE("another file is no sweep") {
  const TempFolder folder;
  for (const char* text : {"{}", "[]", R"({"schema": 3})", R"({"schema": "commtap.job/2"})"}) {
    writeText(folder / "a.json", text);
    CHECK(has(sweepData(folder / "a.json").error(), "is no sweep"));
  }
  CHECK_FALSE(sweepData(folder / "none.json"));
}

} // namespace
} // namespace commtap
