// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/generated_lines.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

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
