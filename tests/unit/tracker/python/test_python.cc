// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <Python.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"
#include "tracker/core/python_host.h"

extern "C" const CommtapPython commtap_python;

namespace commtap {
namespace {

using Events = std::vector<std::string>;

/// The Python part of this process, started and enabled. The first fixture starts it.
class PartFixture : public HostFixture {
 public:
  PartFixture() {
    REQUIRE(commtap_python.start(&fakeHostTable()) == 0);
    commtap_python.set_enabled(1);
    REQUIRE(commtap_python.observe(nullptr, nullptr) == 0);
    fakeHost().events.clear();
  }
  ~PartFixture() {
    commtap_python.set_enabled(0);
  }

 protected:
  const FakeTorch torch_;
};

TEST_CASE_FIXTURE(PartFixture, "the part is of this Python, and finds everything that it hooks") {
  CHECK(commtap_python.abi == COMMTAP_PYTHON_ABI);
  CHECK(commtap_python.python_minor == PY_MINOR_VERSION);
  CHECK(fakeHost().missing.empty());
}

TEST_CASE_FIXTURE(PartFixture, "a module call goes through the tracker while the part is enabled") {
  CHECK(torch_.text("Net()(1, scale=2)") == "((1,), {'scale': 2})");
  CHECK(fakeHost().events == Events{"call"});
  commtap_python.set_enabled(0);
  CHECK(torch_.text("Net()(1)") == "((1,), {})");
  CHECK(fakeHost().events == Events{"call"});
}

TEST_CASE_FIXTURE(PartFixture, "an observer gets the calls of modules, but not those of transparent ones") {
  torch_.run(R"(
events = []
def before(module, *arguments): events.append(type(module).__name__)
def after(module, *arguments): events.append("after")
backward = type("CompiledAutograd0", (GraphModule,), {})()
)");
  REQUIRE(commtap_python.observe(torch_["before"].get(), torch_["after"].get()) == 0);
  torch_.run("Net()(1); backward(1)");
  CHECK(torch_.text("events") == "['Net', 'after']");
  CHECK(commtap_python.observe(torch_["before"].get(), nullptr) == -1);
  REQUIRE(commtap_python.observe(nullptr, nullptr) == 0);
  torch_.run("Net()(1)");
  CHECK(torch_.text("len(events)") == "2");
}

TEST_CASE_FIXTURE(PartFixture, "a module has an id before its first call; a transparent one has none") {
  torch_.run("net = Net()\nbackward = type('CompiledAutograd0', (GraphModule,), {})()");
  CHECK(commtap_python.module_id(torch_["net"].get(), nullptr) == 1);
  CHECK(commtap_python.module_id(torch_["net"].get(), nullptr) == 1);
  CHECK(commtap_python.module_id(torch_["backward"].get(), nullptr) == -1);
}

TEST_CASE_FIXTURE(PartFixture, "the buffers of a DDP module are those that it broadcasts, with its names of them") {
  torch_.run(R"(
ddp = DistributedDataParallel(Net())
bare = DistributedDataParallel(Net())
ddp.named_module_buffers = {"norm.table": Tensor(21), "mask": Tensor(22)}
)");
  using Taken = std::vector<std::pair<std::string, uintptr_t>>;
  const auto buffersOf = [this](const char* name) {
    Taken taken;
    const long id = commtap_python.module_id(torch_[name].get(), nullptr);
    const auto take = [](void* data, uint32_t, void* tensor, const char* buffer) {
      static_cast<Taken*>(data)->emplace_back(buffer, reinterpret_cast<uintptr_t>(tensor));
    };
    commtap_python.ddp_buffers(static_cast<uint32_t>(id), take, &taken);
    return taken;
  };
  CHECK(buffersOf("ddp") == Taken{{"norm.table", 21}, {"mask", 22}});
  CHECK(buffersOf("bare").empty());
}

TEST_CASE_FIXTURE(PartFixture, "a label is reported as it opens and closes, if it has a text") {
  torch_.run(R"(
with record_function("epoch"):
    with record_function(17): pass
class Broken(record_function):
    name = property(lambda self: 1 / 0)
    def __init__(self): pass
with Broken(): pass
)");
  CHECK(fakeHost().events == Events{"open epoch", "close", "close", "close"});
}

TEST_CASE_FIXTURE(PartFixture, "a process group is reported once torch has made it") {
  torch_.run(R"(
dist = sys.modules["torch.distributed.distributed_c10d"]
made = dist._register_process_group("dp", 1)
dist._register_process_group(17)
try:
    dist._register_process_group()
    failed = False
except TypeError:
    failed = True
)");
  CHECK(torch_.text("made") == "('registered', 'dp')");
  CHECK(torch_.text("failed") == "True");
  CHECK(fakeHost().events == Events{"group dp"});
}

TEST_CASE_FIXTURE(PartFixture, "sys.argv is reported at a process group if it has changed, and is a list of strings") {
  torch_.run(R"(
dist = sys.modules["torch.distributed.distributed_c10d"]
before = sys.argv
dist._register_process_group("a", 1)
sys.argv = ["train.py", "1"]
dist._register_process_group("b", 1)
dist._register_process_group("c", 1)
for odd in (["train.py", 2], "train.py", []):
    sys.argv = odd
    dist._register_process_group("odd", 1)
)");
  CHECK(
      fakeHost().events ==
      Events{"group a", "arguments train.py 1", "group b", "group c", "group odd", "group odd", "group odd"});
  // The part outlives this case, and so does what it knows.
  torch_.run("sys.argv = before; dist._register_process_group('d', 1)");
}

TEST_CASE_FIXTURE(PartFixture, "the groups of a mesh with names are reported as its dimensions") {
  torch_.run("DeviceMesh(['0', '3'], ('dp', 'tp')); DeviceMesh(['0'])");
  CHECK(fakeHost().events == Events{"group 0 is dp", "group 3 is tp"});
  torch_.run("try:\n    DeviceMesh()\nexcept TypeError: pass");
  CHECK(fakeHost().events.size() == 2);
}

TEST_CASE_FIXTURE(PartFixture, "the constructor of a wrapper is set-up of the wrapper, which has an id already") {
  torch_.define("made", [] { fakeHost().events.emplace_back("made"); });
  torch_.run("ddp = DistributedDataParallel(Net(), made)");
  CHECK(fakeHost().events == Events{"set up 1", "made", "end of set-up 7"});
  CHECK(commtap_python.module_id(torch_["ddp"].get(), nullptr) == 1);
  fakeHost().events.clear();
  torch_.run("DistributedDataParallel(module=Net())");
  CHECK(fakeHost().events == Events{"set up 3", "end of set-up 7"});
  fakeHost().events.clear();
  torch_.run("try:\n    DistributedDataParallel()\nexcept TypeError: pass");
  CHECK(fakeHost().events.empty());
}

TEST_CASE_FIXTURE(PartFixture, "FSDP1 is hooked when it has been imported before a group is made") {
  torch_.run(R"(
file = "torch.distributed.fsdp.fully_sharded_data_parallel"
sys.modules[file] = types.SimpleNamespace(FullyShardedDataParallel=FullyShardedDataParallel)
sys.modules["torch.distributed.distributed_c10d"]._register_process_group("dp")
del sys.modules[file]
FullyShardedDataParallel(Net())
)");
  CHECK(fakeHost().events == Events{"group dp", "set up 1", "end of set-up 7"});
}

TEST_CASE_FIXTURE(PartFixture, "the modules in frames are given as ids, no more than fit; a closure as Global") {
  std::array<uint32_t, 3> ids{};
  size_t count = 0;
  torch_.define("look", [&] { count = commtap_python.modules_in_frames(kCommtapRunningUnit, 0, ids.data(), 2); });
  torch_.run(R"(
def unshard(self): look()
unshard(types.SimpleNamespace(modules=(Net(), Net(), Net())))
)");
  CHECK(count == 2);
  CHECK(ids == std::array<uint32_t, 3>{1, 2, 0});
  torch_.define("look", [&] { count = commtap_python.modules_in_frames(kCommtapStepClosure, 0, ids.data(), 2); });
  torch_.run("def step(*args): look()\nstep('optimizer', 'closure')");
  CHECK(count == 1);
  CHECK(ids[0] == 0);
}

TEST_CASE_FIXTURE(PartFixture, "running work is that of a known module, or of a wrapper that is being made") {
  CommtapWork what = kCommtapNoWork;
  uint32_t module = 99;
  torch_.define("look", [&] { what = commtap_python.running_work(&module); });
  torch_.run(R"(
class Engine(Module):
    def backward(self): look()
engine = Engine()
engine.backward()
)");
  CHECK(what == kCommtapOtherWork);
  CHECK(module == 99);
  const long id = commtap_python.module_id(torch_["engine"].get(), nullptr);
  torch_.run("engine.backward()");
  CHECK(what == kCommtapBackward);
  CHECK(module == id);
  torch_.run(R"(
class Wrapper(Module):
    def broadcast_params(self): look()
Wrapper({"_orig_mod": Net()}).broadcast_params()
)");
  CHECK(what == kCommtapSetUp);
  CHECK(fakeHost().modules.at(module).class_name == "Wrapper");
}

TEST_CASE_FIXTURE(PartFixture, "a call in a graph that can be read keeps its code; another is not read") {
  const std::string file = "/cache/ab/cab" + std::string(40, 'x') + ".py";
  CommtapSite site{};
  uint32_t line = 0;
  std::string text;
  int found = 0;
  const auto take = [](void* into, const char* taken) { *static_cast<std::string*>(into) = taken; };
  torch_.define("look", [&] {
    REQUIRE(commtap_python.find_site(20, &site) == 1);
    found = commtap_python.read_call(&site.collective, &line, take, &text);
  });
  torch_.run("def call():\n    look()\n", file.c_str());
  const PyRef code = torch_["call.__code__"];
  const Py_ssize_t before = referencesTo(code);
  torch_.run("call()");
  CHECK(found == 1);
  CHECK(line == 2);
  CHECK(text == file);
  CHECK(referencesTo(code) == before + 1);
  CHECK(commtap_python.read_call(&site.collective, &line, take, &text) == 0);
  CHECK(referencesTo(code) == before + 1);
}

TEST_CASE_FIXTURE(PartFixture, "the module at a source has an id below its outermost module") {
  uint32_t found = 0;
  uint32_t missing = 0;
  torch_.define("look", [&] {
    CommtapSite site{};
    REQUIRE(commtap_python.find_site(20, &site) == 1);
    found = commtap_python.module_at(&site, "L['model'].fc");
    missing = commtap_python.module_at(&site, "L['model'].none");
  });
  torch_.run("def graph(): look()", "<eval_with_key>.1");
  torch_.run(R"(
net = Net({"fc": Linear()})
net.fc = net._modules["fc"]
def __compiled_fn_1(): graph()
def forward(model): __compiled_fn_1()
forward(net)
)");
  CHECK(found == 2);
  CHECK(fakeHost().modules.at(found).component == "fc");
  CHECK(missing == kCommtapUnknownModule);
}

} // namespace
} // namespace commtap
