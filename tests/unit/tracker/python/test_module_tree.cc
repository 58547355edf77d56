// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_tree.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

class TreeFixture : public HostFixture {
 protected:
  uint32_t add(const char* expression) {
    return tree_.add(torch_[expression].get());
  }
  uint32_t find(const char* expression) const {
    return tree_.find(torch_[expression].get());
  }
  /// Returns the path of a module's components, and its class: "Net.fc: Linear".
  static std::string pathOf(uint32_t id) {
    std::string path = fakeHost().modules.at(id).component;
    for (uint32_t at = fakeHost().modules.at(id).parent; at != 0; at = fakeHost().modules.at(at).parent) {
      path.insert(0, fakeHost().modules.at(at).component + ".");
    }
    return path + ": " + fakeHost().modules.at(id).class_name;
  }
  static const FakeModule& row(uint32_t id) {
    return fakeHost().modules.at(id);
  }
  static size_t rows() {
    return fakeHost().modules.size() - 1;
  }

  const FakeTorch torch_;
  ModuleTree& tree_ = *new ModuleTree(fakeHostTable()); ///< leaked on purpose: modules that die call it
};

TEST_CASE_FIXTURE(TreeFixture, "a root is named after its class, a child as it is registered, through containers") {
  torch_.run(R"(
blocks = ModuleList({"0": Linear(), "1": ModuleDict({"a": Linear()})})
net = Net({"fc": Linear(), "none": None, "blocks": blocks})
)");
  const uint32_t id = add("net");
  CHECK(pathOf(id) == "Net: Net");
  CHECK(row(id).clean == "Net");
  CHECK(pathOf(find("net._modules['fc']")) == "Net.fc: Linear");
  CHECK(pathOf(find("blocks._modules['0']")) == "Net.blocks.0: Linear");
  CHECK(pathOf(find("blocks._modules['1']._modules['a']")) == "Net.blocks.1.a: Linear");
  CHECK(find("blocks") == ModuleMap::kUnknown);
  CHECK(rows() == 4);
  CHECK(find("net") == id);
}

TEST_CASE_FIXTURE(TreeFixture, "a module that is called by another one before it is registered is the caller's child") {
  torch_.run("net = Net()");
  fakeHost().current = add("net");
  CHECK(pathOf(add("globals().setdefault('late', Linear())")) == "Net.Linear: Linear");
  torch_.run("net._modules['added'] = Linear()");
  CHECK(pathOf(add("net._modules['added']")) == "Net.added: Linear");
}

TEST_CASE_FIXTURE(TreeFixture, "what only computes a parameter for the module that reads it is part of that module") {
  torch_.run(R"(
net, whole, gather = Net(), Net(), Module()
net._parameters = {"weight": object()}
whole._parameters = {"weight": object()}
weight, other = net._parameters["weight"], whole._parameters["weight"]
)");
  const auto added = [this](const char* module, const char* argument) {
    return tree_.add(torch_[module].get(), torch_[argument].get());
  };
  fakeHost().current = add("net");
  CHECK(pathOf(added("globals().setdefault('unit', Linear())", "other")) == "Net.Linear: Linear");
  torch_.run("scaled = Module(); scaled._parameters = {'scale': object()}");
  CHECK(pathOf(added("scaled", "weight")) == "Net.Module: Module");
  CHECK(added("gather", "weight") == ModuleMap::kTransparent);
  CHECK(find("gather") == ModuleMap::kTransparent);
}

TEST_CASE_FIXTURE(TreeFixture, "a root that another one registers becomes its child") {
  torch_.run("inner = Linear()");
  const uint32_t id = add("inner");
  CHECK(pathOf(id) == "Linear: Linear");
  torch_.run("net = Net({'inner': inner})");
  add("net");
  CHECK(pathOf(id) == "Net.inner: Linear");
  CHECK(rows() == 2);
}

TEST_CASE_FIXTURE(TreeFixture, "a module whose root was never called has its place in the model of the running code") {
  torch_.define("call", [this] { add("held[0]"); });
  torch_.run(R"(
held = [Linear()]
def train(model): call()
train(Net({"encoder": held[0]}))
)");
  CHECK(pathOf(find("held[0]")) == "Net.encoder: Linear");
}

TEST_CASE_FIXTURE(
    TreeFixture,
    "a wrapper has its role, the wrapped module's clean name, and a component of raw names") {
  torch_.run("ddp = DistributedDataParallel(Net({'fc': Linear()}))");
  const uint32_t id = add("ddp");
  CHECK(pathOf(id) == "DistributedDataParallel: DistributedDataParallel");
  CHECK(row(id).role == kCommtapDdp);
  CHECK(row(id).clean == "Net");
  const uint32_t inner = find("ddp._modules['module']");
  CHECK(pathOf(inner) == "DistributedDataParallel.module: Net");
  CHECK(row(inner).is_wrapper);
  CHECK_FALSE(row(find("ddp._modules['module']._modules['fc']")).is_wrapper);
}

TEST_CASE_FIXTURE(
    TreeFixture,
    "a wrapper around a module that has an id names that id; FSDP's classes have their roles") {
  torch_.run(R"(
inner = Net()
class FSDPNet(FSDPModule, Net): pass
)");
  const uint32_t inner = add("inner");
  const uint32_t outer = add("globals().setdefault('fsdp', FullyShardedDataParallel(inner))");
  CHECK(row(outer).wrapped == inner);
  CHECK(row(outer).role == kCommtapFsdp1);
  const uint32_t sharded = add("globals().setdefault('sharded', FSDPNet())");
  CHECK(row(sharded).role == kCommtapFsdp2);
  CHECK(row(sharded).class_name == "FSDPModule/Net");
  CHECK(row(sharded).clean == "Net");
}

TEST_CASE_FIXTURE(TreeFixture, "the parameters of a module are reported, and the flat one of an FSDP1 unit") {
  torch_.run(R"(
net = Net(parameters={"weight": Tensor(8)})
fsdp = FullyShardedDataParallel(net)
fsdp._handle = types.SimpleNamespace(flat_param=Tensor(9))
)");
  const uint32_t id = add("fsdp");
  REQUIRE(fakeHost().owned.size() == 2);
  CHECK(fakeHost().owned[0] == std::pair<uint32_t, void*>{id, reinterpret_cast<void*>(9)});
  CHECK(fakeHost().owned[1] == std::pair<uint32_t, void*>{find("net"), reinterpret_cast<void*>(8)});
}

TEST_CASE_FIXTURE(TreeFixture, "a module that is destroyed is reported, and its parent is not") {
  torch_.run("net = Net({'fc': Linear()})");
  const uint32_t id = add("net");
  const uint32_t child = find("net._modules['fc']");
  torch_.run("del net._modules['fc']");
  CHECK(row(child).has_died);
  CHECK_FALSE(row(id).has_died);
  torch_.run("del net");
  CHECK(row(id).has_died);
}

TEST_CASE_FIXTURE(TreeFixture, "modules beyond the table's end have no row, and are attributed to their caller") {
  torch_.run("net = Net({'fc': Linear()})");
  fakeHost().capacity = 1;
  CHECK(add("net") == 1);
  CHECK(find("net._modules['fc']") == ModuleMap::kTransparent);
  fakeHost().current = 1;
  CHECK(add("globals().setdefault('more', Net())") == ModuleMap::kTransparent);
  CHECK(tree_.addUnfinished(torch_["more"].get(), torch_["net"].get()) == ModuleMap::kTransparent);
}

TEST_CASE_FIXTURE(
    TreeFixture,
    "a chain of modules too deep for the stack ends with a note, and goes on when it is called") {
  torch_.run(R"(
deepest = Linear()
chain = deepest
for _ in range(250):
    chain = Net({"inner": chain})
)");
  add("chain");
  CHECK(find("deepest") == ModuleMap::kUnknown);
  CHECK(fakeHost().not_seen == std::vector<std::string>{"Net"});
  CHECK(rows() == 201);
}

TEST_CASE_FIXTURE(TreeFixture, "containers that contain each other end the walk") {
  torch_.run(R"(
loop = ModuleList()
loop._modules["again"] = loop
net = Net({"loop": loop})
)");
  CHECK(pathOf(add("net")) == "Net: Net");
  CHECK(rows() == 1);
}

TEST_CASE_FIXTURE(TreeFixture, "a graph that a compiler made is transparent where a module calls it") {
  torch_.run(R"(
net, graph = Net(), GraphModule({"fc": Linear()})
root = GraphModule()
backward = type("CompiledAutograd0", (GraphModule,), {})()
)");
  fakeHost().current = add("net");
  CHECK(add("graph") == ModuleMap::kTransparent);
  fakeHost().current = 0;
  CHECK(pathOf(add("root")) == "GraphModule: GraphModule");
  CHECK(add("backward") == ModuleMap::kTransparent);
}

TEST_CASE_FIXTURE(TreeFixture, "modules with compiled code are reported to the tracker") {
  torch_.run(R"(
net, graph, wrapper = Net(), GraphModule(), type("OptimizedModule", (Module,), {})()
inner = Net()
inner._compiled_call_impl = None
outer = Net({"inner": inner})
)");
  add("net");
  add("outer");
  CHECK(fakeHost().compiled_code == 0);
  add("graph");
  CHECK(fakeHost().compiled_code == 1);
  add("wrapper");
  CHECK(fakeHost().compiled_code == 2);
  torch_.run("inner2 = Net()\ninner2._compiled_call_impl = print\nouter2 = Net({'inner': inner2})");
  add("outer2");
  CHECK(fakeHost().compiled_code == 3);
}

TEST_CASE_FIXTURE(TreeFixture, "the graph of a traced function is a model, except in a backward") {
  torch_.run(R"(
graphs = [type("<lambda>", (GraphModule,), {})() for _ in range(2)]
def _engine_run_backward(): call()
)");
  torch_.define("call", [this] { add("graphs[0]"); });
  torch_.run("_engine_run_backward()");
  CHECK(find("graphs[0]") == ModuleMap::kTransparent);
  CHECK(pathOf(add("graphs[1]")) == "<lambda>: <lambda>");
}

TEST_CASE_FIXTURE(TreeFixture, "the graph of a function that a compiler calls is no model") {
  for (const std::string function : {"_lazy_forward", "_dispatch_impl"}) {
    torch_.run(("graph = GraphModule()\ndef " + function + "(): call()").c_str());
    torch_.define("call", [this] { add("graph"); });
    torch_.run((function + "()").c_str());
    CHECK(find("graph") == ModuleMap::kTransparent);
  }
}

TEST_CASE_FIXTURE(TreeFixture, "the graph of a region, which the code of another graph calls, is no model") {
  torch_.run("graph = GraphModule()");
  torch_.define("call", [this] { add("graph"); });
  torch_.run("call()", "<eval_with_key>.7");
  CHECK(find("graph") == ModuleMap::kTransparent);
}

TEST_CASE_FIXTURE(TreeFixture, "a module has one id from its constructor on, and its place as soon as it has one") {
  torch_.run("net = Net()\nddp = DistributedDataParallel.__new__(DistributedDataParallel)");
  const uint32_t id = tree_.addUnfinished(torch_["ddp"].get(), torch_["net"].get());
  CHECK(pathOf(id) == "DistributedDataParallel: DistributedDataParallel");
  CHECK(row(id).clean == "Net");
  CHECK(find("ddp") == ModuleMap::kUnknown);
  CHECK(tree_.findUnfinished(torch_["ddp"].get()) == id);
  torch_.run("ddp.__init__(net)\nouter = Net({'inner': ddp})");
  add("outer");
  CHECK(find("ddp") == id);
  CHECK(pathOf(id) == "Net.inner: DistributedDataParallel");
  CHECK(pathOf(find("net")) == "Net.inner.module: Net");
}

TEST_CASE_FIXTURE(TreeFixture, "an object without weak references is counted, but not remembered") {
  torch_.run(R"(
class Slotted:
    __slots__ = ()
slotted = Slotted()
)");
  CHECK(pathOf(add("slotted")) == "Slotted: Slotted");
  CHECK(find("slotted") == ModuleMap::kUnknown);
  CHECK(tree_.addUnfinished(torch_["slotted"].get(), torch_["slotted"].get()) == ModuleMap::kTransparent);
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE_FIXTURE(TreeFixture, "the job's error and its references are as they were") {
  torch_.run("net = Net({'fc': Linear()}, {'weight': 17})");
  const PyRef net = torch_["net"];
  const Py_ssize_t before = referencesTo(net);
  {
    const PendingError pending;
    tree_.add(net.get());
  }
  CHECK(referencesTo(net) == before);
  CHECK(PyErr_Occurred() == nullptr);
}

} // namespace
} // namespace commtap
