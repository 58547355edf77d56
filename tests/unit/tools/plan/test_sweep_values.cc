// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/sweep_values.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Words = std::vector<std::string>;

const Words kCommand = {"python", "train.py", "--tp", "{tp}", "--mesh={dp}x{tp}"};

TEST_CASE("a sweep is every combination of the values") {
  const Result<std::vector<LayoutValues>> layouts = layoutsOf({"tp=1,2", "dp=4,8"}, kCommand);
  REQUIRE(layouts);
  REQUIRE(layouts->size() == 4);
  CHECK((*layouts)[1] == LayoutValues{{"tp", "1"}, {"dp", "8"}});
  CHECK(layoutCommand((*layouts)[3], kCommand) == Words{"python", "train.py", "--tp", "2", "--mesh=8x2"});
}

TEST_CASE("a sweep that changes nothing is refused") {
  CHECK(has(layoutsOf({"pp=1,2"}, kCommand).error(), "the command has no {pp}"));
  for (const char* wrong : {"tp", "tp=", "=1", "tp=1,", "tp=1,,2"}) {
    CHECK(has(layoutsOf({wrong}, kCommand).error(), "it must be a name and its values"));
  }
}

TEST_CASE("a layout's folder stays below the sweep's") {
  CHECK(layoutFolder({{"tp", "8"}, {"config", "../a b.toml"}}) == "tp=8,config=.._a_b.toml");
}

TEST_CASE("the table of a sweep has a line for each layout and group, and a reason for each failure") {
  Sweep sweep{.command = {"python"}, .world_size = 8, .per_node = 4};
  sweep.layouts.resize(2);
  sweep.layouts[0].name = "tp=4";
  addMessages({{Kind::kAllGather, "dp", 2, 2, 1024, 1024, 3, 3072, 3072}}, sweep.layouts[0]);
  sweep.layouts[1].name = "tp=3";
  sweep.layouts[1].failure = "rank 0: train.py:3: ValueError: 8 % 3";
  const std::string text = sweepText(sweep, Color::none());
  CHECK(has(text, "8 ranks, 4 per node"));
  CHECK(has(text, "tp=4"));
  CHECK(has(text, "3.00 KiB"));
  CHECK(has(text, "tp=3 failed: rank 0: train.py:3: ValueError: 8 % 3\n"));
}

} // namespace

} // namespace commtap
