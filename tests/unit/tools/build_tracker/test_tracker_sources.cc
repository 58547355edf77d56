// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/tracker_sources.h"

#include <doctest/doctest.h>

#include "report/base/atomic_file.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

constexpr const char* kList =
    R"({"defines": ["-DA"], "units": [["a.cc", "b.cc"], ["c.cc"]], "c_files": ["d.c"], "exports": "e.map"})";

TEST_CASE("the sources are in share/commtap next to bin") {
  const TempFolder folder;
  CHECK(has(findTrackerSources(folder / "bin").error(), folder / "share/commtap/tracker has no sources"));
  REQUIRE(makeFolders(folder / "share/commtap/tracker").empty());
  writeText(folder / "share/commtap/tracker/sources.json", kList);
  REQUIRE(*findTrackerSources(folder / "bin") == folder / "share/commtap/tracker");
  const Result<TrackerSources> sources = readTrackerSources(folder / "share/commtap/tracker");
  REQUIRE(sources);
  CHECK(sources->folder == folder / "share/commtap/tracker");
  CHECK(sources->defines == std::vector<std::string>{"-DA"});
  CHECK(sources->units == std::vector<std::vector<std::string>>{{"a.cc", "b.cc"}, {"c.cc"}});
  CHECK(sources->c_files == std::vector<std::string>{"d.c"});
  CHECK(sources->exports == "e.map");
}

TEST_CASE("a list that is missing or damaged is a failure that says so") {
  const TempFolder folder;
  CHECK(has(readTrackerSources(folder.path()).error(), folder / "sources.json"));
  for (const char* damaged : {"", "[]", "{}", R"({"defines": 1, "units": [], "c_files": [], "exports": ""})"}) {
    CHECK(has(trackerSourcesFromJson("/src", damaged).error(), "/src/sources.json: "));
  }
}

} // namespace
} // namespace commtap
