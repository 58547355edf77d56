// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/fabric_files.h"

#include <doctest/doctest.h>

#include "report/json/report_json.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("measured times come from files of nccl-tests and from folders of runs") {
  const TempFolder folder;
  writeText(
      folder / "a.json",
      R"({"args": ["all_gather_perf"], "config": {"nthreads": 1, "ngpus": 4, "devices":
      [{"group": 0, "hostname": "a"}]}, "results": [{"size": 512, "in_place": {"time": 1}}]})");
  const Result<Fabric> fabric = readFabric({folder / "a.json"});
  REQUIRE(fabric);
  CHECK_FALSE(fabric->empty());
  CHECK(readFabric({})->empty());
}

TEST_CASE("a path without times is refused") {
  const TempFolder folder;
  CHECK(has(readFabric({folder / "none.json"}).error(), "--fabric"));
  CHECK(has(readFabric({folder.path()}).error(), "--fabric"));
  Report plan = sampleReport(0);
  plan.job.planned = true;
  writeText(folder / "rank-00000.json", reportToJson(plan));
  CHECK(has(readFabric({folder.path()}).error(), "it is a plan"));
  writeText(folder / "rank-00000.json", reportToJson(sampleReport(0)));
  CHECK(has(readFabric({folder.path()}).error(), "no times"));
}

} // namespace
} // namespace commtap
