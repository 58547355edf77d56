// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/generated_text.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Names = std::vector<std::string_view>;

TEST_CASE("lines are without their indentation") {
  CHECK(linesOf("def call(args):\n    x = 1\n\n  y") == TextLines{"def call(args):", "x = 1", "", "y"});
  CHECK(linesOf("").empty());
}

TEST_CASE("an operator's name has no overload and no end of one that works in place") {
  CHECK(plainOperator("_c10d_functional.all_reduce_.default") == "_c10d_functional.all_reduce");
  CHECK(plainOperator("_c10d_functional.all_reduce") == "_c10d_functional.all_reduce");
  CHECK(plainOperator("mine.send(x)") == "mine.send");
  CHECK(plainOperator("aten").empty() == false);
  CHECK(plainOperator("").empty());
}

TEST_CASE("a line calls an operator, unless it is one of tensor math") {
  CHECK(
      operatorIn("buf0 = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')") ==
      "_c10d_functional.all_gather_into_tensor");
  CHECK(
      operatorIn("torch.ops._c10d_functional.all_reduce_.default(torch.ops.aten.add(a, b), 'sum', '0')") ==
      "_c10d_functional.all_reduce");
  CHECK(operatorIn("f(torch.ops.aten.add(a, b), torch.ops.mine.send(c))") == "mine.send");
  CHECK(operatorIn("buf0 = torch.ops.aten.mm.default(x, y)").empty());
  CHECK(operatorIn("extern_kernels.mm(x, y, out=buf0)").empty());
  CHECK(operatorIn("torch.ops.").empty());
}

TEST_CASE("a line calls a region by its name, with arguments of that name") {
  CHECK(regionIn("buf2 = repeated_subgraph0(repeated_subgraph0_args)") == "repeated_subgraph0");
  CHECK(regionIn("repeated_subgraph0_args = [buf1, arg3_1]").empty());
  CHECK(regionIn("buf2 = other(repeated_subgraph0_args)").empty());
  CHECK(regionIn("(buf3,) = self.partitions[0](partition0_args)").empty());
  CHECK(regionIn("buf2 = (_args)").empty());
  CHECK(regionIn("").empty());
}

TEST_CASE("a comment has the names of nodes and of the operators that they called") {
  const auto sorted = sourceNodesIn(
      "# Topologically Sorted Source Nodes: [linear_3, outputs], Original ATen: [aten.mm, "
      "_c10d_functional.all_reduce]");
  REQUIRE(sorted);
  CHECK(sorted->names == Names{"linear_3", "outputs"});
  CHECK(sorted->operators == Names{"aten.mm", "_c10d_functional.all_reduce"});
  CHECK(sorted->is_sorted);

  const auto merged = sourceNodesIn("# Unsorted Source Nodes: [all_gather_into_tensor], Original ATen: []");
  REQUIRE(merged);
  CHECK(merged->names == Names{"all_gather_into_tensor"});
  CHECK(merged->operators.empty());
  CHECK_FALSE(merged->is_sorted);

  CHECK_FALSE(sourceNodesIn("# Topologically Sorted Source Nodes: [a], Original ATen: [aten.mm"));
  CHECK_FALSE(sourceNodesIn("x = ' Source Nodes: [a], Original ATen: [b]'"));
  CHECK_FALSE(sourceNodesIn(""));
}

} // namespace
} // namespace commtap
