// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/advice_line.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the line names the first rule, how many more there are, and the command with the path as a word") {
  CHECK(adviceLine({}, "", "out").empty());
  const Advice first = {.rule = adviceRules().data(), .group = "", .rows = {}};
  CHECK(adviceLine({first}, "", "out") == "advice: " + std::string(first.rule->name) + ": commtap advise out\n");
  CHECK(
      adviceLine({first, first, first}, " (4 B)", "my out") ==
      "advice: " + std::string(first.rule->name) + " (4 B) and 2 more: commtap advise 'my out'\n");
}

} // namespace
} // namespace commtap
