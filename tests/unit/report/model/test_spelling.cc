// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/spelling.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

namespace commtap {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"show", "serve", "--format", "COMMTAP_TIMING"};

TEST_CASE("the closest name is found for a letter that is missing, added, wrong or swapped") {
  CHECK(closestName("shw", kNames) == "show");
  CHECK(closestName("shoow", kNames) == "show");
  CHECK(closestName("srve", kNames) == "serve");
  CHECK(closestName("sreve", kNames) == "serve");
  CHECK(closestName("--fromat", kNames) == "--format");
  CHECK(closestName("COMMTAP_TIMNG", kNames) == "COMMTAP_TIMING");
}

TEST_CASE("a word that is close to no name, or too long, has no closest name") {
  CHECK(closestName("x", kNames).empty());
  CHECK(closestName("", kNames).empty());
  CHECK(closestName("merge", kNames).empty());
  CHECK(closestName(std::string(100'000, 's'), kNames).empty());
  CHECK(closestName("show", {}).empty());
}

} // namespace
} // namespace commtap
