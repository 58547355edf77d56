// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_paths.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

const std::vector<FoundRun> kRuns = {{"run-2-abc", 2, "wide"}, {"run-1-abd", 1, "narrow"}, {"run-1", 0, "wide"}};

std::vector<std::string> meant(const std::string& text) {
  std::vector<std::string> ids;
  for (const FoundRun& run : runsMeant(kRuns, text)) {
    ids.push_back(run.run_id);
  }
  return ids;
}

TEST_CASE("a run is meant by its id, its name, or a part of its id, in this order") {
  using Ids = std::vector<std::string>;
  CHECK(meant("run-1") == Ids{"run-1"}); // also a part of another id
  CHECK(meant("narrow") == Ids{"run-1-abd"});
  CHECK(meant("2-a") == Ids{"run-2-abc"});
  CHECK(meant("wide") == Ids{"run-2-abc", "run-1"});
  CHECK(meant("ab") == Ids{"run-2-abc", "run-1-abd"});
  CHECK(meant("arro").empty()); // a part of a name
  CHECK(meant("").empty());
}

TEST_CASE("the error lists the runs that may be meant, or the newest") {
  CHECK(
      notOneRun(kRuns, "ab") ==
      "several runs match \"ab\": \"run-2-abc\" (wide), \"run-1-abd\" (narrow): give more of the id");
  CHECK(
      notOneRun(kRuns, "x") ==
      "there is no report of run \"x\"; the newest are \"run-2-abc\", \"run-1-abd\", \"run-1\"");
  CHECK(notOneRun({}, "x") == "there is no report of run \"x\"");
}

} // namespace
} // namespace commtap
