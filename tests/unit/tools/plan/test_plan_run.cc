// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_run.h"

#include <doctest/doctest.h>

#include <filesystem>

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
