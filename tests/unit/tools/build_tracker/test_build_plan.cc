// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <algorithm>

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

BuildPlan planOf(const std::vector<std::string>& compiler) {
  const TrackerSources sources{
      .folder = "/src",
      .defines = {"-DONE=1"},
      .units = {{"tracker/a.cc", "tracker/b.cc"}, {"report/c.cc"}},
      .c_files = {"shim/d.c"},
      .exports = "tracker/exports.map"};
  return planBuild(sources, {"2.16.0", "/torch/include", "/torch/lib"}, compiler, "/made");
}

bool hasWord(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST_CASE("the sources of a unit are compiled together, each unit to an object") {
  const BuildPlan plan = planOf({"g++"});
  REQUIRE(plan.compile.size() == 3);
  CHECK(plan.compile[0].source_path == "/made/0.cc");
  CHECK(plan.compile[0].source_text == "#include \"/src/tracker/a.cc\"\n#include \"/src/tracker/b.cc\"\n");
  CHECK(plan.compile[1].source_text == "#include \"/src/report/c.cc\"\n");
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<std::string>& words = plan.compile[i].command;
    CHECK(words[0] == "g++");
    CHECK(words.back() == "/made/" + std::to_string(i) + ".o");
    CHECK(hasWord(words, "-std=c++20") == (i < 2));
    CHECK(hasWord(words, "-DONE=1"));
    CHECK(hasWord(words, "/torch/include"));
  }
}

TEST_CASE("a file in C is compiled where it is, as C") {
  const BuildStep step = planOf({"ccache", "g++"}).compile[2];
  CHECK(step.source_path.empty());
  CHECK(step.command[0] == "ccache");
  CHECK(hasWord(step.command, "/src/shim/d.c"));
  const auto language = std::find(step.command.begin(), step.command.end(), "-x");
  REQUIRE(language != step.command.end());
  CHECK(*(language + 1) == "c");
}

TEST_CASE("the tracker is named after all of torch's version, and linked with its libraries") {
  const BuildPlan plan = planOf({"g++"});
  CHECK(plan.output == "/made/libcommtap-tracker-2.16.0.so");
  for (const char* word : {"-shared", "/made/0.o", "/made/1.o", "/made/2.o", "-L/torch/lib", "-ltorch_cpu", "-lc10"}) {
    CHECK(hasWord(plan.link.command, word));
  }
  CHECK(hasWord(plan.link.command, "-Wl,--version-script,/src/tracker/exports.map"));
  CHECK(hasWord(plan.link.command, plan.output));
}

} // namespace

} // namespace commtap
