// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

using Owned = std::vector<std::pair<uint32_t, uintptr_t>>;

/// Returns the tensors that modules own, by their addresses.
Owned ownedTensors() {
  Owned owned;
  for (const auto& [module, tensor] : fakeHost().owned) {
    owned.emplace_back(module, reinterpret_cast<uintptr_t>(tensor));
  }
  return owned;
}

/// Reports the parameters of the module that `expression` names as those of module 3.
void reportOf(const FakeTorch& torch, const std::string& expression) {
  const PyRef dict = torch[(expression + ".__dict__").c_str()];
  reportParameters(fakeHostTable(), dict.get(), 3);
  CHECK(PyErr_Occurred() == nullptr);
  CHECK(fakeHost().plain_tensors == 0);
}

TEST_CASE_FIXTURE(HostFixture, "a parameter is reported with its facts, and owned by its module") {
  const FakeTorch torch(R"(
net = Net({"fc": Linear(parameters={"weight": Tensor(1)})},
          {"weight": Tensor(8), "none": None, "bias": Tensor(9, (), "torch.bfloat16", False)})
)");
  reportOf(torch, "net");
  REQUIRE(fakeHost().parameters.size() == 2);
  CHECK(fakeHost().parameters[0] == FakeParameter{3, "weight", "[2,3]", "[2,3]", "float32", "", "", true});
  CHECK(fakeHost().parameters[1] == FakeParameter{3, "bias", "[]", "[]", "bfloat16", "", "", false});
  CHECK(ownedTensors() == Owned{{3, 8}, {3, 9}});
  CHECK(fakeHost().plain_tensors_at == 1);
}

TEST_CASE_FIXTURE(HostFixture, "the facts of a module are reported once, its tensors each time") {
  const FakeTorch torch("net = Net(parameters={'weight': Tensor(8)})");
  reportOf(torch, "net");
  reportOf(torch, "net");
  CHECK(fakeHost().parameters.size() == 1);
  CHECK(fakeHost().owned.size() == 2);
}

TEST_CASE_FIXTURE(HostFixture, "a DTensor has its mesh, its placements and its local shape") {
  const FakeTorch torch(R"(
class Placement:
    def __init__(self, text): self.text = text
    def __repr__(self): return self.text
spec = Spec(Mesh((2, 4), ("dp", "tp")), (Placement('Shard(dim=0)'), Placement('Odd("\\\n")')))
nameless = Spec(Mesh((2,), None), [])
net = Net(parameters={
    "weight": DTensor(1, (8, 3), spec, Tensor(2, (4, 3))),
    "bias": DTensor(3, (8,), nameless, Tensor(4, (4,))),
})
)");
  reportOf(torch, "net");
  REQUIRE(fakeHost().parameters.size() == 2);
  const FakeParameter& weight = fakeHost().parameters[0];
  CHECK(weight.shape == "[8,3]");
  CHECK(weight.local_shape == "[4,3]");
  CHECK(weight.mesh == R"({"device_type":"cpu","dim_names":["dp","tp"],"shape":[2,4]})");
  CHECK(weight.placements == R"json(["Shard(dim=0)","Odd(\"\\ \")"])json");
  const FakeParameter& bias = fakeHost().parameters[1];
  CHECK(bias.mesh == R"({"device_type":"cpu","dim_names":null,"shape":[2]})");
  CHECK(bias.placements == "[]");
}

TEST_CASE_FIXTURE(HostFixture, "a parameter whose shape cannot be read is named as not seen; the others are reported") {
  const FakeTorch torch(R"(
class Lazy(TensorBase):
    @property
    def shape(self): raise RuntimeError("not yet")
symbolic = Tensor(2, (object(), 2 ** 70, 3))
net = Net(parameters={"lazy": Lazy(), "number": 17, "symbolic": symbolic})
)");
  reportOf(torch, "net");
  CHECK(fakeHost().not_seen == std::vector<std::string>{"lazy", "number"});
  REQUIRE(fakeHost().parameters.size() == 1);
  CHECK(fakeHost().parameters[0].shape == "[-1,-1,3]");
}

TEST_CASE_FIXTURE(HostFixture, "a module without parameters, or with odd ones, reports none and reads no tensor") {
  const FakeTorch torch("odd = Net()\nodd._parameters = 17\nbare = Net()\ndel bare._parameters");
  reportOf(torch, "Net()");
  reportOf(torch, "odd");
  reportOf(torch, "bare");
  CHECK(fakeHost().plain_tensors_at == 0);
}

TEST_CASE("a tensor's address is null if it has none, and leaves no error") {
  const FakeTorch torch;
  CHECK(reinterpret_cast<uintptr_t>(tensorImpl(torch["Tensor(8)"].get())) == 8);
  CHECK(tensorImpl(torch["Tensor('none')"].get()) == nullptr);
  CHECK(tensorImpl(torch["17"].get()) == nullptr);
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE_FIXTURE(HostFixture, "the flat parameter of an FSDP1 unit is its module's, if it has a handle") {
  const FakeTorch torch(R"(
class Handle:
    flat_param = Tensor(8)
class Broken:
    @property
    def flat_param(self): raise RuntimeError("sharded")
)");
  for (const char* const unit : {"{'_handle': Handle()}", "{'_handle': None}", "{}", "{'_handle': Broken()}"}) {
    reportFlatParameter(fakeHostTable(), torch[unit].get(), 4);
    CHECK(PyErr_Occurred() == nullptr);
  }
  CHECK(ownedTensors() == Owned{{4, 8}});
  CHECK(fakeHost().plain_tensors == 0);
}

} // namespace
} // namespace commtap
