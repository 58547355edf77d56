// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_run.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "report/json/columns.h"
#include "report/json/row_columns.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a plan replaces only what a plan made") {
  const TempFolder folder;
  CHECK(whyNotPlanFolder(folder / "none").empty());
  writeText(folder / "notes.txt", "mine");
  CHECK(whyNotPlanFolder(folder.path()).empty());
  for (const char* name : {"plan", "ranks", "plan.json"}) {
    fs::create_directory(folder / name);
    CHECK(whyNotPlanFolder(folder.path()).starts_with(folder / name + " is not of a plan, "));
    fs::remove(folder / name);
  }
  fs::create_symlink("nowhere", folder / "ranks");
  CHECK_FALSE(whyNotPlanFolder(folder.path()).empty());
}

TEST_CASE("the planner compares rows by the key of a report's rows") {
  const std::string source = readText(COMMTAP_SOURCE_ROOT "/tools/plan/commtap_plan/planner.py");
  std::smatch key;
  REQUIRE(std::regex_search(source, key, std::regex(R"(\nKEY = \(([^)]*)\))")));
  const std::string names = key[1];
  const std::regex name("\"([a-z_]+)\"");
  std::set<std::string> spelled;
  for (auto each = std::sregex_iterator(names.begin(), names.end(), name); each != std::sregex_iterator(); ++each) {
    spelled.insert((*each)[1]);
  }
  const std::vector<std::string_view> described = keyNames<Collective>();
  CHECK(spelled == std::set<std::string>(described.begin(), described.end()));
}

TEST_CASE("the folder of a plan is known by the planner's files") {
  for (const char* name : {"plan/made-by-commtap.txt", "plan/standing.outcome"}) {
    const TempFolder folder;
    fs::create_directories(folder / "plan");
    fs::create_directories(folder / "ranks/0");
    writeText(folder / name, "");
    CHECK(whyNotPlanFolder(folder.path()).empty());
  }
}

} // namespace
} // namespace commtap
