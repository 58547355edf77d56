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

} // namespace
} // namespace commtap
