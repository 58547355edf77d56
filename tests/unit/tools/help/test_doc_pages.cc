// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/doc_pages.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a page has the name of its file, or of the folder that it is the index of") {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directories(folder / "b");
  for (const char* file :
       {"README.md", "timing.md", "a/README.md", "a/slurm.md", "a/x.json", "a/same.md", "b/same.md"}) {
    writeText(folder / file, "");
  }
  CHECK(pageNames(folder.path()) == std::vector<std::string>{"a", "a/same", "a/slurm", "a/x.json", "b/same", "timing"});
  CHECK(pageFile(folder.path(), "timing") == "timing.md");
  CHECK(pageFile(folder.path(), "timing.md") == "timing.md");
  CHECK(pageFile(folder.path(), "a") == "a/README.md");
  CHECK(pageFile(folder.path(), "slurm") == "a/slurm.md");
  CHECK(pageFile(folder.path(), "x.json") == "a/x.json");
  CHECK(pageFile(folder.path(), "same").empty()); // two pages have it
  CHECK(pageFile(folder.path(), "none").empty());
  CHECK(pageNames(folder / "none").empty());
}

TEST_CASE("the index has each link to a page, with its question or its words") {
  const std::vector<PageGroup> groups = pageIndex(
      "# Docs\n| before | [x](x.md) |\n\n## My job\n\n| question | page |\n|---|---|\n"
      "| Why so? | [attribution](attribution.md), [compiled graphs](compile.md) |\n## My code\n"
      "| Which commands and options? | [commands](commands.md), [options](options.md) |\n"
      "| Change? | [CONTRIBUTING](../CONTRIBUTING.md) |\n| Show? | [dashboards](dashboards/README.md#top) |\n");
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].title == "My job");
  REQUIRE(groups[0].pages.size() == 2);
  CHECK(groups[0].pages[0].name == "attribution");
  CHECK(groups[0].pages[0].about == "Why so?");
  CHECK(groups[0].pages[1].name == "compile");
  CHECK(groups[0].pages[1].about == "compiled graphs");
  REQUIRE(groups[1].pages.size() == 3);
  CHECK(groups[1].pages[1].name == "options");
  CHECK(groups[1].pages[1].about == "Which commands and options?");
  CHECK(groups[1].pages[2].name == "dashboards");
}

} // namespace
} // namespace commtap
