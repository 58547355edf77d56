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

} // namespace
} // namespace commtap
