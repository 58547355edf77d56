// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/graph_nodes.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

std::string placeIn(const FakeTorch& torch, const char* node) {
  const std::string place = placeOfNode(torch[node].get());
  CHECK(PyErr_Occurred() == nullptr);
  return place;
}

TEST_CASE("the nodes of a graph are visited in their order; an object that is no graph has none") {
  const FakeTorch torch("graph = Graph(Node('a'), Node('b'))");
  std::vector<std::string> targets;
  const auto visit = [&](PyObject* node) { targets.push_back(textOf(attribute(node, "target").get())); };
  forEachNode(torch["graph"], visit);
  CHECK(targets == std::vector<std::string>{"a", "b"});
  forEachNode(torch["17"], visit);
  forEachNode(torch["Raising()"], visit);
  forEachNode(torch["types.SimpleNamespace(nodes=17)"], visit);
  CHECK(targets.size() == 2);
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("a node calls something if its kind says so") {
  const FakeTorch torch;
  CHECK(isCall(torch["Node('x', op='call_module')"].get()));
  CHECK_FALSE(isCall(torch["Node('x', op='placeholder')"].get()));
  CHECK_FALSE(isCall(torch["Raising()"].get()));
  PyErr_Clear();
}

TEST_CASE("a node's place is its innermost module, in forward or backward") {
  const FakeTorch torch(R"(
backward = Node("x", fwd_nn_module_stack={"only": ("L['self'].fc", Linear)}, stack="L['self'].loss")
)");
  CHECK(placeIn(torch, "Node('x', stack=\"L['self'].fc\")") == "f\tL['self'].fc");
  CHECK(placeIn(torch, "backward") == "b\tL['self'].fc");
  CHECK(sourceOfNode(torch["backward"].get()) == "L['self'].fc");
  CHECK(sourceOfNode(torch["Node('x', stack='model.fc')"].get()) == "model.fc");
}

TEST_CASE("a module that a class holds is in no place of the model: the node is of the module that calls it") {
  const FakeTorch torch(R"(
getter = "dict(type(L['self'].fc).__dict__)['weight'].fget.__closure__[0].cell_contents"
gathered = Node("x", nn_module_stack={"fc": ("L['self'].fc", Linear), "fc@1": (getter, Linear)})
lone = Node("x", nn_module_stack={"fc@1": (getter, Linear)})
)");
  CHECK(placeIn(torch, "gathered") == "f\tL['self'].fc");
  CHECK(placeIn(torch, "lone") == "f");
}

TEST_CASE("a node of a backward that Dynamo traced has the modules of a forward") {
  const FakeTorch torch;
  CHECK(placeIn(torch, "Node('x', stack='m', partitioner_tag='is_backward')") == "b\tm");
  CHECK(placeIn(torch, "Node('x', stack='m', autograd_backward=True)") == "b\tm");
  CHECK(placeIn(torch, "Node('x', stack='m', partitioner_tag='is_forward', autograd_backward=True)") == "f\tm");
}

TEST_CASE("a node of no module has the phase that its graph says, and the module that the job annotated") {
  const FakeTorch torch;
  CHECK(placeIn(torch, "Node('x')") == "f");
  CHECK(placeIn(torch, "Node('x', autograd_backward=True)") == "b");
  CHECK(placeIn(torch, "Node('x', autograd_backward=1)") == "f");
  CHECK(placeIn(torch, "Node('x', partitioner_tag='is_backward')") == "b");
  CHECK(placeIn(torch, "Node('x', partitioner_tag='is_forward', autograd_backward=True)") == "f");
  CHECK(placeIn(torch, "Node('x', custom={'module_fqn': 'layers.0'})") == "f\tlayers.0");
  CHECK(placeIn(torch, "Node('x', custom={'module_fqn': 17})") == "f");
}

TEST_CASE("a backward's node of no module says whether its graph has any module") {
  const FakeTorch torch(R"(
def backward(**more): return Node("x", partitioner_tag="is_backward", **more)
without = Graph(backward(), Node("y"))
beside = Graph(backward(), Node("y", stack="m"))
)");
  CHECK(placeIn(torch, "without.nodes[0]") == "B");
  CHECK(placeIn(torch, "without.nodes[1]") == "f");
  CHECK(placeIn(torch, "beside.nodes[0]") == "b");
}

TEST_CASE("odd stacks, and sources that GraphLines cannot read, name no module") {
  const FakeTorch torch;
  for (const char* const node :
       {"Node('x', stack='a\\tb')",
        "Node('x', nn_module_stack={})",
        "Node('x', nn_module_stack=[1])",
        "Node('x', nn_module_stack={'k': 17})",
        "Node('x', nn_module_stack={'k': ()})",
        "Node('x', nn_module_stack={'k': (17, Net)})",
        "Raising()",
        "types.SimpleNamespace(meta=17)",
        "None"}) {
    CHECK(placeIn(torch, node) == "f");
    CHECK(sourceOfNode(torch[node].get()).empty());
  }
}

TEST_CASE("a merged node has the sources of all, and the sizes into which its result is taken apart") {
  const FakeTorch torch(R"(
def stack(source): return {"k": (source, Linear)}
def merged(*sources, sizes=None, through=1, target="aten.split_with_sizes.default", **more):
    node = at = Node("x", bucketing_nn_module_stack_sources=[stack(source) for source in sources], **more)
    for _ in range(through):
        at.users = {Node("wait"): None}
        at = next(iter(at.users))
    at.users = {Node(target, at, sizes): None}
    return node
)");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=[4, 8])") == "f 4 8\ta\tb");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=[4, 8, 2])") == "f\ta\tb");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=[4, 's0'])") == "f\ta\tb");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=[4, -1])") == "f\ta\tb");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=17)") == "f\ta\tb");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=[4, 8], target='aten.mm.default')") == "f\ta\tb");
  CHECK(placeIn(torch, "merged('a', 'b', sizes=[4, 8], through=30)") == "f\ta\tb");
  CHECK(placeIn(torch, "merged('a', '', sizes=[4, 8])") == "f\ta");
  CHECK(placeIn(torch, "merged('a', sizes=[4])") == "f\ta");
  CHECK(placeIn(torch, "merged('', stack='own')") == "f\town");
}

/// Makes calls of regions: call("sub", "L['self'].a") for a module that calls the region `sub`.
const char* const kRegions = R"(
def call(region, source):
    return Node("invoke_subgraph", Node(region, op="get_attr"), stack=source)
def region(*sources):
    return Graph(*(Node("x", stack=source) for source in sources)).owning_module
)";

std::string callIn(const FakeTorch& torch, const char* node) {
  const std::string text = regionCall(torch[node].get());
  CHECK(PyErr_Occurred() == nullptr);
  return text;
}

TEST_CASE("a node calls a region if its target is the operator that does") {
  const FakeTorch torch(kRegions);
  CHECK(isRegionCall(torch["call('sub', 'a')"].get()));
  CHECK_FALSE(isRegionCall(torch["Node('other')"].get()));
  CHECK_FALSE(isRegionCall(torch["Node('invoke_subgraph', op='placeholder')"].get()));
  CHECK_FALSE(isRegionCall(torch["Raising()"].get()));
  CHECK_FALSE(isRegionCall(torch["None"].get()));
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("the module of a region is an attribute of the graph's own; without a name it is empty") {
  const FakeTorch torch(kRegions);
  torch.run("node = call('sub', 'a')\ngraph = Graph(node, sub=region('a.fc'))\nodd = Node('invoke_subgraph')");
  CHECK(regionModule(torch["node"].get()).get() == torch["graph.owning_module.sub"].get());
  for (const char* const odd : {"odd", "Raising()", "None"}) {
    CHECK_FALSE(regionModule(torch[odd].get()));
    CHECK(PyErr_Occurred() != nullptr);
    PyErr_Clear();
  }
}

TEST_CASE("the modules of a region are those of its caller, in place of those that it was traced for") {
  const FakeTorch torch(kRegions);
  torch.run(R"(
first, second = call("sub", "L['self'].a"), call("sub", "L['self'].b")
Graph(first, second, sub=region("L['self'].a.fc", "L['self'].a"))
)");
  CHECK(callIn(torch, "first").empty());
  CHECK(callIn(torch, "second") == "r\tL['self'].a\tL['self'].b");
  CHECK(callIn(torch, "Node('x', stack='a')").empty());
}

TEST_CASE("the innermost caller that holds all of a region's modules is the one that it was traced for") {
  const FakeTorch torch(kRegions);
  torch.run(R"(
outer, inner, other = call("sub", "m"), call("sub", "m.a"), call("sub", "m.ab")
Graph(outer, inner, other, sub=region("m.a.fc", "m.a[0]"))
)");
  CHECK(callIn(torch, "inner").empty());
  CHECK(callIn(torch, "other") == "r\tm.a\tm.ab");
}

TEST_CASE("a region's modules are not known if no caller was traced, or one has several calls with modules below it") {
  const FakeTorch torch(kRegions);
  torch.run(R"(
strangers = call("sub", "a"), call("sub", "b")
Graph(*strangers, sub=region("c.fc"))
twice = call("sub", "a"), call("sub", "a")
Graph(*twice, sub=region("a.fc"))
flat = call("sub", "a"), call("sub", "a")
Graph(*flat, sub=region("a", "a"))
alone = call("sub", "b")
Graph(alone, sub=region("c.fc"))
)");
  CHECK(callIn(torch, "strangers[0]") == "r");
  CHECK(callIn(torch, "twice[1]") == "r");
  CHECK(callIn(torch, "flat[1]").empty());
  CHECK(callIn(torch, "alone") == "r");
}

TEST_CASE("the call of a region is found by name below a node, if all calls of it agree") {
  const FakeTorch torch(kRegions);
  torch.run(R"(
inner = call("deep", "m.b")
middle = Graph(inner, call("deep", "m.a"), deep=region("m.a.fc"))
node = call("sub", "m")
Graph(node, sub=middle.owning_module)
)");
  const PyRef node = torch["node"];
  CHECK(regionCallBelow(node.get(), "sub").empty());
  CHECK(regionCallBelow(node.get(), "deep") == "r");
  CHECK(regionCallBelow(torch["inner"].get(), "deep") == "r\tm.a\tm.b");
  CHECK(regionCallBelow(node.get(), "none") == "r");
  CHECK(regionCallBelow(torch["None"].get(), "sub") == "r");
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("the place in a region is that of the node that a comment names and that calls the operator") {
  const FakeTorch torch(kRegions);
  torch.run(R"(
made = Node("c10d.all_reduce.default", name="other", stack="m.a.norm", from_node=[types.SimpleNamespace(name="sum")])
first = Node("c10d.all_reduce.default", name="reduced", stack="m.a.fc")
node = call("sub", "m.a")
Graph(node, sub=Graph(first, made, Node("aten.mm.default", name="mm", stack="m.a.mm")).owning_module)
)");
  const PyRef node = torch["node"];
  const auto place = [&](std::string_view called, std::vector<std::string_view> names) {
    return placeInRegion(node.get(), called, {std::move(names), {}, true});
  };
  CHECK(place("c10d.all_reduce", {"mm", "reduced"}) == "f\tm.a.fc");
  CHECK(place("c10d.all_reduce", {"sum"}) == "f\tm.a.norm");
  CHECK(place("c10d.all_reduce", {"reduced", "sum"}).empty());
  CHECK(place("c10d.all_reduce", {"mm"}).empty());
  CHECK(place("c10d.all_gather", {"reduced"}).empty());
  CHECK(PyErr_Occurred() == nullptr);
}

} // namespace

} // namespace commtap
