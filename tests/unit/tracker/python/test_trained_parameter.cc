// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/sampled_step.h"

#include <cstdint>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

/// Returns the address of the parameter found below `expression`; 0 if there is none.
uintptr_t trainedIn(const FakeTorch& torch, const char* expression) {
  void* const found = trainedParameter(fakeHostTable(), torch[expression].get());
  CHECK(PyErr_Occurred() == nullptr);
  CHECK(fakeHost().plain_tensors == 0);
  return reinterpret_cast<uintptr_t>(found);
}

TEST_CASE_FIXTURE(
    HostFixture,
    "the first parameter that requires a gradient is found, a module's own before its children's") {
  const FakeTorch torch(R"(
frozen = Tensor(1, requires_grad=False)
first = Net(parameters={"weight": frozen, "bias": None})
second = Net({"fc": Linear(parameters={"weight": Tensor(3)})}, {"weight": Tensor(2)})
)");
  CHECK(trainedIn(torch, "Module({'first': first, 'none': None, 'second': second})") == 2);
  CHECK(trainedIn(torch, "second._modules['fc']") == 3);
  CHECK(trainedIn(torch, "first") == 0);
  CHECK(trainedIn(torch, "Module()") == 0);
  CHECK(fakeHost().plain_tensors_at == 4);
}

TEST_CASE_FIXTURE(HostFixture, "odd parameters and children are passed over, and keep the job's error") {
  const FakeTorch torch(R"(
class Raising:
    @property
    def requires_grad(self): raise RuntimeError("not yet")
net = Net({"fc": 17, "good": Linear(parameters={"weight": Tensor(5)})}, {"lazy": Raising(), "number": 3})
odd = Net()
odd._parameters = [1]
)");
  CHECK(trainedIn(torch, "net") == 5);
  CHECK(trainedIn(torch, "odd") == 0);
  CHECK(trainedIn(torch, "17") == 0);
  const PyRef net = torch["net"];
  const PendingError pending;
  CHECK(trainedParameter(fakeHostTable(), net.get()) != nullptr);
}

TEST_CASE_FIXTURE(HostFixture, "a module below itself, and thousands of frozen ones, end the search") {
  const FakeTorch torch(R"(
loop = Module()
loop._modules["self"] = loop
wide = Module({str(i): Linear() for i in range(1000)} | {"last": Linear(parameters={"weight": Tensor(9)})})
)");
  CHECK(trainedIn(torch, "loop") == 0);
  CHECK(trainedIn(torch, "wide") == 0);
}

} // namespace
} // namespace commtap
