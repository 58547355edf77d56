// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/row_names.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("rows of one name are distinguished by what differs, and others are not") {
  JobCollective plain;
  plain.module = plain.issued_in = "Net";
  plain.op = "c10d.allreduce_";
  plain.dtype = "float32";
  JobCollective other = plain;
  other.dtype = "bfloat16\n";
  JobCollective ahead = plain;
  ahead.issued_in = "Next";
  ahead.async_op = AsyncOp::kYes;
  ahead.compiled = true;
  const std::vector<const JobCollective*> rows = {&plain, &other, &ahead, &plain};
  const std::vector<std::string> names = {"Net", "Net", "Net", "Else"};
  CHECK(
      distinctionsOf(rows, names) ==
      std::vector<std::string>{", float32", ", bfloat16\\x0a", ", float32, async, issued in Next, compiled", ""});
}

TEST_CASE("a group without a description is named by its ranks if they are the same for all") {
  JobGroup group{.name = "3", .size = 2, .members = {{0, 1}}};
  CHECK(groupLabel(group) == "3 [0-1]");
  group.members.push_back({2, 3});
  CHECK(groupLabel(group) == "3");
  group = {.name = "dp\n", .desc = "dp", .size = 2, .members = {{0, 1}}};
  CHECK(groupLabel(group) == "dp\\x0a");
}

} // namespace
} // namespace commtap
