// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/glob.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("* does not match a dot, ** does") {
  CHECK(globMatches("Net.layers.*.attention", "Net.layers.12.attention"));
  CHECK_FALSE(globMatches("Net.layers.*", "Net.layers.12.attention"));
  CHECK(globMatches("Net.**", "Net.layers.12.attention"));
  CHECK(globMatches("**.attention", "Net.layers.12.attention"));
  CHECK(globMatches("**", ""));
  CHECK(globMatches("mesh_*", "mesh_tp"));
  CHECK_FALSE(globMatches("mesh_*", "mesh"));
  CHECK_FALSE(globMatches("", "a"));
  CHECK(globMatches("*a*b*", "xaxbx"));
}

TEST_CASE("globLiteral matches only its own text") {
  for (const char* name : {"Net#2.layers.0", "a*b", "a\\b", "a**", "[x]?", ""}) {
    CHECK(globMatches(globLiteral(name), name));
  }
  CHECK_FALSE(globMatches(globLiteral("a*b"), "axb"));
}

TEST_CASE("many stars on a long name take linear time per star") {
  std::string pattern;
  for (int i = 0; i < 60; ++i) {
    pattern += "*a";
  }
  CHECK_FALSE(globMatches(pattern + "b", std::string(5000, 'a')));
}

} // namespace
} // namespace commtap
