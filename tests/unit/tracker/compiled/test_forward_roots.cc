// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/forward_roots.h"

#include <memory>

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a backward finds the module of its own forward") {
  const auto roots = std::make_unique<ForwardRoots>();
  CHECK_FALSE(roots->find({1, 7}, "L['model']"));
  roots->note({1, 7}, "L['model']", 3);
  roots->note({1, 8}, "L['model']", 4);
  roots->note({2, 7}, "L['model']", 5);
  roots->note({1, 7}, "L['other']", 6);
  CHECK(roots->find({1, 7}, "L['model']") == 3U);
  CHECK(roots->find({1, 8}, "L['model']") == 4U);
  CHECK(roots->find({2, 7}, "L['model']") == 5U);
  CHECK(roots->find({1, 7}, "L['other']") == 6U);
  CHECK_FALSE(roots->find({1, 9}, "L['model']"));
  roots->note({1, 9}, "", 7);
  CHECK_FALSE(roots->find({1, 9}, ""));
}

TEST_CASE("the oldest make room") {
  const auto roots = std::make_unique<ForwardRoots>();
  for (uint32_t i = 0; i <= ForwardRoots::kMost; ++i) {
    roots->note({1, i}, "L['model']", i);
    roots->note({1, i}, "L['model']", i); // takes no second place
  }
  CHECK_FALSE(roots->find({1, 0}, "L['model']"));
  CHECK(roots->find({1, 1}, "L['model']") == 1U);
  CHECK(roots->find({1, ForwardRoots::kMost}, "L['model']") == ForwardRoots::kMost);
}

} // namespace
} // namespace commtap
