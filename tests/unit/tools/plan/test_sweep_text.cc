// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/sweep_text.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("the table of a sweep has a line for each layout and group, and a reason for each failure") {
  Sweep sweep{{"python"}, 8, 4, {}};
  sweep.layouts.resize(2);
  sweep.layouts[0].values = {{"tp", "4"}};
  addMessages({{Kind::kAllGather, "dp", 2, 2, 1024, 1024, 3, 3072, 3072}}, sweep.layouts[0]);
  sweep.layouts[1].values = {{"tp", "3"}};
  sweep.layouts[1].failure = "rank 0: train.py:3: ValueError: 8 % 3";
  const std::string text = sweepText(sweep, Color::none());
  CHECK(has(text, "8 ranks, 4 per node"));
  CHECK(has(text, "tp=4"));
  CHECK(has(text, "3.00 KiB"));
  CHECK(has(text, "tp=3 failed: rank 0: train.py:3: ValueError: 8 % 3\n"));
}

} // namespace
} // namespace commtap
