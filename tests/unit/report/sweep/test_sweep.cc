// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/sweep/sweep.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

Messages messagesOf(const char* group, double bytes, double across) {
  return {Kind::kAllGather, group, 4, across > 0 ? 2U : 1U, 512, 1024, 2, bytes, across};
}

TEST_CASE("a layout is the sum of its messages, and so is each group") {
  SweptLayout layout;
  addMessages({messagesOf("dp", 100, 100), messagesOf("tp", 300, 0), messagesOf("dp", 50, 20)}, layout);
  CHECK(layout.all.calls == 6);
  CHECK(layout.all.bytes == 450);
  CHECK(layout.all.bytes_across == 120);
  CHECK(layout.all.nodes == 2);
  CHECK(layout.all.smallest == 512);
  CHECK(layout.all.largest == 1024);
  REQUIRE(layout.groups.size() == 2);
  CHECK(layout.groups[0].group == "tp");
  CHECK(layout.groups[1].bytes == 150);
  CHECK(layout.groups[1].bytes_across == 120);
}

TEST_CASE("layouts are in the order of the bytes that cross nodes; failed ones are last") {
  std::vector<SweptLayout> layouts(3);
  layouts[0].values = {{"tp", "1"}};
  layouts[0].failure = "no";
  layouts[1].values = {{"tp", "2"}, {"dp", "4"}};
  layouts[1].all.bytes_across = 7;
  layouts[2].values = {{"tp", "4"}};
  layouts[2].all.bytes_across = 5;
  sortLayouts(layouts);
  CHECK(layouts[0].name() == "tp=4");
  CHECK(layouts[1].name() == "tp=2 dp=4");
  CHECK(layouts[2].failure == "no");
}

TEST_CASE("the document of a sweep says that it is a plan") {
  Sweep sweep{{"python", "train.py"}, 8, 4, {}};
  sweep.layouts.emplace_back();
  sweep.layouts[0].values = {{"tp", "1"}};
  addMessages({messagesOf("dp", 100, 100)}, sweep.layouts[0]);
  const nlohmann::json document = nlohmann::json::parse(sweepToJson(sweep));
  CHECK(document["schema"] == kSweepSchema);
  CHECK(document["planned"] == true);
  CHECK(document["layouts"][0]["values"]["tp"] == "1");
  CHECK(document["layouts"][0]["all"]["bytes_across_nodes"] == 100);
  CHECK(document["layouts"][0]["groups"][0]["group"] == "dp");
}

TEST_CASE("a sweep is found by its folder and by its file") {
  const TempFolder folder;
  CHECK(sweepIn(folder.path()).empty());
  writeText(folder / kSweepFile, "{}");
  CHECK(sweepIn(folder.path()) == folder / kSweepFile);
  CHECK(sweepIn(folder / kSweepFile) == folder / kSweepFile);
}

} // namespace
} // namespace commtap
