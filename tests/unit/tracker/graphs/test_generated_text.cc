// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/generated_text.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

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

/// Returns the placed lines of a text as GraphLines reads them.
std::string linesFor(const FakeTorch& torch, const char* line_map, const char* text) {
  const std::string lines = graphLines(placedLines(torch[line_map].get(), linesOf(text)));
  CHECK(PyErr_Occurred() == nullptr);
  return lines;
}

constexpr const char* kCode =
    "x = mm(x)\n"
    "torch.ops._c10d_functional.all_reduce_.default(x, 'sum', '0')\n"
    "x = mm(x)\n"
    "torch.ops.aten.mm.default(x)\n"
    "torch.ops.mine.send(x)\n";

TEST_CASE("the lines of a node that call a collective have the node's place") {
  const FakeTorch torch("fc, norm = Node('x', stack='m.fc'), Node('y', stack='m.norm')");
  CHECK(linesFor(torch, "[(1, fc), (3, fc), (5, norm)]", kCode) == "1\t2\tf\tm.fc\n5\t104\tf\tm.norm\n");
  CHECK(linesFor(torch, "[(3, fc), (5, None)]", kCode) == "5\t104\tf\n");
  CHECK(linesFor(torch, "[]", kCode).empty());
}

TEST_CASE("lines that no text has are left out, and an odd map has none at all") {
  const FakeTorch torch("fc = Node('x', stack='m.fc')");
  CHECK(linesFor(torch, "[(0, fc), (2, fc), (2, fc), (1, fc), (900, fc)]", kCode) == "1\t899\tf\tm.fc\n");
  for (const char* const odd : {"[(1, fc), 17]", "[(1,)]", "[17]", "[(1, fc, 3)]"}) {
    CHECK(linesFor(torch, odd, kCode).empty());
  }
}

TEST_CASE("the call of a region has the region's place") {
  const FakeTorch torch(R"(
def call(source):
    return Node("invoke_subgraph", Node("sub", op="get_attr"), stack=source)
first, second = call("m.a"), call("m.b")
reduced = Node("_c10d_functional.all_reduce.default", name="reduced", stack="m.a.fc")
Graph(first, second, sub=Graph(reduced).owning_module)
)");
  CHECK(linesFor(torch, "[(1, second)]", "buf = sub(sub_args)\n") == "1\t100\tr\tm.a\tm.b\n");
  CHECK(linesFor(torch, "[(1, first)]", "buf = sub(sub_args)\n").empty());
  CHECK(linesFor(torch, "[(1, reduced)]", "buf = sub(sub_args)\n").empty());
  CHECK(
      linesFor(
          torch,
          "[(1, second)]",
          "# Topologically Sorted Source Nodes: [reduced], Original ATen: [x]\n"
          "torch.ops._c10d_functional.all_reduce.default(x)\n") == "1\t100\tf\tm.a.fc\n");
}

TEST_CASE("a function's lines are found in the file that has it once, at any indentation") {
  const FakeTorch torch("fc = Node('x', stack='m.fc')");
  const GeneratedFunction function(
      torch["[(3, fc)]"].get(), "\ndef part(x):\n    torch.ops.mine.send(x)\n    return x\n\n");
  REQUIRE(function.hasPlaces());
  const std::string once = "a\nb\n  def part(x):\n      torch.ops.mine.send(x)\n      return x\nc\n";
  CHECK(graphLines(function.in(linesOf(once))) == "4\t5\tf\tm.fc\n");
  CHECK(function.in(linesOf(once + once)).empty());
  CHECK(function.in(linesOf("def part(x):\n    return x\n")).empty());
  CHECK(function.in(linesOf("")).empty());
}

TEST_CASE("a function without a collective, or without text, has no places") {
  const FakeTorch torch;
  CHECK_FALSE(GeneratedFunction(torch["[(1, None)]"].get(), "def part(x):\n    return x\n").hasPlaces());
  const GeneratedFunction empty(torch["[(1, None)]"].get(), "");
  CHECK_FALSE(empty.hasPlaces());
  CHECK(empty.in(linesOf("a\nb\n")).empty());
}

} // namespace

} // namespace commtap
