// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/graph_nodes.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

/// Returns the lines that a graph has in a file with one all-reduce, below a comment that names `nodes`.
std::string
linesBelow(const DynamoGraph& graph, const std::string& nodes, const std::string& kind = "# Topologically Sorted") {
  const std::string file = "import torch\n" + kind + " Source Nodes: [" + nodes +
                           "], Original ATen: [aten.mm, _c10d_functional.all_reduce]\n"
                           "torch.ops._c10d_functional.all_reduce_.default(x, 'sum', '0')\n";
  CHECK(PyErr_Occurred() == nullptr);
  return graphLines(graph.linesIn(file));
}

TEST_CASE("a collective's line is that of the last of its comment's nodes, in the graph's order") {
  const FakeTorch torch(R"(
module = Graph(Node("x", name="x", op="placeholder"), Node("mm", name="linear", stack="m.fc"),
               Node("sum", name="outputs", stack="m.norm"), Node("add", name="nowhere")).owning_module
)");
  const DynamoGraph graph(torch["module"].get());
  CHECK(linesBelow(graph, "linear") == "3\t3\to\tm.fc\n");
  CHECK(linesBelow(graph, "outputs, linear") == "3\t3\to\tm.norm\n");
  for (const char* const nodes : {"nowhere", "absent", "linear, absent", "x", ""}) {
    CHECK(linesBelow(graph, nodes).empty());
  }
  CHECK(linesBelow(graph, "linear", "# Unsorted").empty());
}

TEST_CASE("a line below another operator's comment, or below none, is left out") {
  const FakeTorch torch("module = Graph(Node('mm', name='linear', stack='m.fc')).owning_module");
  const DynamoGraph graph(torch["module"].get());
  const std::string comment = "# Topologically Sorted Source Nodes: [linear], Original ATen: [aten.mm]\n";
  CHECK(graph.linesIn(comment + "torch.ops.mine.send(x)\n").empty());
  CHECK(graph.linesIn(comment + "\ntorch.ops.aten.mm(x)\n").empty());
  CHECK(graph.linesIn("torch.ops.mine.send(x)\n").empty());
  CHECK(graph.linesIn("").empty());
}

TEST_CASE("a name that two nodes have, and a function of autograd's, are no known nodes") {
  const FakeTorch torch(R"(
class Function: __module__ = "torch.autograd.function"
module = Graph(Node("mm", name="twice", stack="m.fc"), Node("mm", name="twice", stack="m.norm"),
               Node(Function, name="apply", stack="m.fc")).owning_module
)");
  const DynamoGraph graph(torch["module"].get());
  CHECK(linesBelow(graph, "twice").empty());
  CHECK(linesBelow(graph, "apply").empty());
}

TEST_CASE("the parts of a graph are read once each, and a region that is called twice has no known nodes") {
  const FakeTorch torch(R"(
part = Graph(Node("mm", name="in_part", stack="m.part")).owning_module
sub = Graph(Node("mm", name="in_region", stack="m.a")).owning_module
def call(): return Node("invoke_subgraph", Node("sub", op="get_attr"))
module = Graph(Node("part", op="get_attr", name="part"), Node("sub", op="get_attr", name="sub"), call(), call(),
               Node("mm", name="linear", stack="m.fc"), part=part, sub=sub).owning_module
)");
  const DynamoGraph graph(torch["module"].get());
  CHECK(linesBelow(graph, "in_part") == "3\t3\to\tm.part\n");
  CHECK(linesBelow(graph, "in_part, linear").empty());
  CHECK(linesBelow(graph, "in_region").empty());
}

TEST_CASE("an object that is no graph has no nodes, and leaves no error") {
  const FakeTorch torch;
  for (const char* const object : {"None", "17", "Raising()", "types.SimpleNamespace(graph=17)"}) {
    CHECK(linesBelow(DynamoGraph(torch[object].get()), "linear").empty());
  }
}

} // namespace
} // namespace commtap
