// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/module_tree.h"

#include <doctest/doctest.h>

#include <vector>

namespace commtap {
namespace {

TEST_CASE("skeletonOf replaces components that are numbers") {
  CHECK(skeletonOf("Net.layers.12.attention") == "Net.layers.*.attention");
  CHECK(skeletonOf("Net.12.3") == "Net.*.*");
  CHECK(skeletonOf("Net.w1") == "Net.w1");
  CHECK(skeletonOf("").empty());
}

TEST_CASE("patternOf has a star only where the names differ") {
  const std::vector<std::string> several = {"Net.1.layers.0.a", "Net.1.layers.10.a"};
  CHECK(patternOf(several) == "Net.1.layers.*.a");
  CHECK(patternOf(std::vector<std::string>{"Net.1.a"}) == "Net.1.a");
}

} // namespace
} // namespace commtap
