// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

using Texts = std::vector<std::string>;

/// Knows `net`, whose name is "Net", as module 1.
class NamesFixture : public HostFixture {
 public:
  NamesFixture() {
    know("net", "Net");
  }

 protected:
  /// Gives a root of this component the next id.
  void know(const char* expression, const char* component) {
    fakeHost().modules.push_back({0, component});
    CHECK(modules_.add(torch_[expression].get(), static_cast<uint32_t>(fakeHost().modules.size() - 1)));
  }
  ParameterNames names() const {
    ParameterNames names(fakeHostTable(), modules_);
    CHECK(PyErr_Occurred() == nullptr);
    return names;
  }
  Texts allNames() const {
    Texts texts;
    const ParameterNames names = this->names();
    for (const ParameterNames::Named& each : names.all()) {
      texts.push_back(each.name);
    }
    return texts;
  }
  std::string nameOf(const char* expression) const {
    const ParameterNames all = names();
    const std::string* name = all.nameOf(torch_[expression].get());
    return name == nullptr ? "none" : *name;
  }

  const FakeTorch torch_{R"(
weight, bias, inner, other = (Tensor(i) for i in range(1, 5))
fc = Linear(parameters={"weight": inner, "none": None, "odd": 17})
net = Net({"list": ModuleList({"0": fc}), "nothing": None}, {"weight": weight, "bias": bias})
)"};
  ModuleMap& modules_ = *new ModuleMap(fakeHostTable()); ///< leaked on purpose: weak references refer to it
};

TEST_CASE_FIXTURE(NamesFixture, "a parameter has the names of its modules, also of those that are not known yet") {
  CHECK(allNames() == Texts{"Net.weight", "Net.bias", "Net.list.0.weight"});
  CHECK(nameOf("inner") == "Net.list.0.weight");
  CHECK(nameOf("other") == "none");
}

TEST_CASE_FIXTURE(NamesFixture, "a module that is known has its own name, wherever it is registered") {
  know("fc", "Elsewhere");
  CHECK(allNames() == Texts{"Net.weight", "Net.bias", "Elsewhere.weight"});
}

TEST_CASE_FIXTURE(NamesFixture, "a parameter that two modules register has the first name, and is there once") {
  torch_.run("fc._parameters['tied'] = weight");
  CHECK(nameOf("weight") == "Net.weight");
  CHECK(allNames().size() == 3);
}

TEST_CASE_FIXTURE(NamesFixture, "a parameter that replaces another one has its name") {
  CHECK(nameOf("bias") == "Net.bias");
  torch_.run("net._parameters['bias'] = other");
  CHECK(nameOf("other") == "Net.bias");
  CHECK(nameOf("bias") == "none");
}

TEST_CASE_FIXTURE(NamesFixture, "a wrapper's component is in no name, and modules in a circle are visited once") {
  torch_.run(R"(
class Net2(Module): pass
wrapped = Net2({}, {"weight": other})
outer = Net2({"ddp": DistributedDataParallel(wrapped)})
wrapped._modules["up"] = outer
)");
  know("outer", "Net2");
  CHECK(nameOf("other") == "Net2.ddp.weight");
}

TEST_CASE_FIXTURE(NamesFixture, "a module without parameters, or with odd ones, has none") {
  torch_.run("net._parameters = 17\ndel fc._parameters");
  CHECK(allNames().empty());
}

TEST_CASE_FIXTURE(NamesFixture, "the parameters of a DistributedDataParallel have the ranks of its group") {
  torch_.run(R"(
file = "torch.distributed.distributed_c10d"
saved, sys.modules[file] = sys.modules[file], types.ModuleType(file)
group, unknown = object(), object()
sys.modules[file]._pg_group_ranks = {group: {4: 0, 6: 1}}
ddp = DistributedDataParallel(net)
ddp._module_parameters = [weight, inner]
ddp.process_group = group
)");
  know("ddp", "Ddp");
  const auto ranksOf = [&](const char* expression) { return names().ddpRanksOf(torch_[expression].get()); };
  CHECK(ranksOf("weight") == "[4,6]");
  CHECK(ranksOf("inner") == "[4,6]");
  CHECK(ranksOf("bias").empty());
  torch_.run("ddp.process_group = unknown");
  CHECK(ranksOf("weight").empty());
  torch_.run("sys.modules[file]._pg_group_ranks = 17");
  CHECK(ranksOf("weight").empty());
  torch_.run("del ddp._module_parameters");
  CHECK(ranksOf("weight").empty());
  torch_.run("sys.modules[file] = saved");
}

TEST_CASE_FIXTURE(NamesFixture, "the original parameters that an FSDP1 unit keeps are parts of its flat parameter") {
  torch_.run(R"(
flat = Tensor(9)
flat._params, flat._shared_params = [weight], [inner]
unit = FullyShardedDataParallel(net)
unit._handle = types.SimpleNamespace(flat_param=flat)
)");
  know("unit", "Unit");
  const auto isFlat = [&](const char* expression) { return names().isInFlatParameter(torch_[expression].get()); };
  CHECK(isFlat("weight"));
  CHECK(isFlat("inner"));
  CHECK_FALSE(isFlat("bias"));
  for (const char* const odd :
       {"flat._params = flat._shared_params = None", "unit._handle = None", "unit._handle = Raising()"}) {
    torch_.run(odd);
    CHECK_FALSE(isFlat("weight"));
  }
}

} // namespace
} // namespace commtap
