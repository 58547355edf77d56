// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

using Addresses = std::vector<uintptr_t>;

/// Returns the tensors in a list of positional arguments followed by those that `names` names.
Addresses tensorsOf(const FakeTorch& torch, const char* arguments, const char* names = "()", size_t capacity = 8) {
  const PyRef list = torch[arguments];
  const PyRef tuple = torch[names];
  std::vector<void*> objects;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    objects.push_back(PyList_GET_ITEM(list.get(), i));
  }
  std::array<void*, 8> found{};
  const size_t positional = objects.size() - static_cast<size_t>(PyTuple_GET_SIZE(tuple.get()));
  const size_t count = tensorsIn(fakeHostTable(), objects.data(), positional, tuple.get(), found.data(), capacity);
  CHECK(PyErr_Occurred() == nullptr);
  CHECK(fakeHost().plain_tensors == 0);
  Addresses addresses;
  for (size_t i = 0; i < count; ++i) {
    addresses.push_back(reinterpret_cast<uintptr_t>(found[i]));
  }
  return addresses;
}

TEST_CASE_FIXTURE(HostFixture, "tensors are found in arguments, named ones too, and in containers") {
  const FakeTorch torch;
  CHECK(tensorsOf(torch, "[Tensor(1), 'x', (Tensor(2), [Tensor(3)]), {'a': Tensor(4)}]") == Addresses{1, 2, 3, 4});
  CHECK(tensorsOf(torch, "[Tensor(1), Tensor(2)]", "('mask',)") == Addresses{1, 2});
  CHECK(tensorsOf(torch, "[]").empty());
}

TEST_CASE_FIXTURE(HostFixture, "no more tensors are stored than there is capacity for") {
  const FakeTorch torch;
  CHECK(tensorsOf(torch, "[[Tensor(i + 1) for i in range(20)]]", "()", 3) == Addresses{1, 2, 3});
}

TEST_CASE_FIXTURE(HostFixture, "a DTensor's is its local tensor; a tensor without an address is none") {
  const FakeTorch torch(R"(
class Nowhere(TensorBase):
    @property
    def _cdata(self): raise RuntimeError("no storage")
)");
  CHECK(tensorsOf(torch, "[DTensor(1, (4,), None, Tensor(2)), Nowhere(), Tensor(3)]") == Addresses{2, 3});
}

TEST_CASE_FIXTURE(HostFixture, "deep nesting and long containers are not read to their end") {
  const FakeTorch torch(R"(
loop = []
loop.append(loop)
)");
  CHECK(tensorsOf(torch, "[[[[[Tensor(1)]]]]]") == Addresses{1});
  CHECK(tensorsOf(torch, "[[[[[[Tensor(1)]]]]]]").empty());
  CHECK(tensorsOf(torch, "[[0] * 63 + [Tensor(1)]]") == Addresses{1});
  CHECK(tensorsOf(torch, "[[0] * 64 + [Tensor(1)]]").empty());
  CHECK(tensorsOf(torch, "[dict.fromkeys(range(64)) | {'last': Tensor(1)}]").empty());
  CHECK(tensorsOf(torch, "[loop, loop]").empty());
}

TEST_CASE_FIXTURE(HostFixture, "the code of the job's containers does not run, and its error stays") {
  const FakeTorch torch(R"(
class Batch(dict):
    def __iter__(self): raise RuntimeError("ran")
    def values(self): raise RuntimeError("ran")
class Stream:
    def __iter__(self): raise RuntimeError("ran")
    def __len__(self): raise RuntimeError("ran")
)");
  CHECK(tensorsOf(torch, "[Batch(x=Tensor(1)), Stream()]") == Addresses{1});
  const PyRef tensor = torch["Tensor(1)"];
  void* const object = tensor.get();
  const PendingError pending;
  CHECK(tensorsIn(fakeHostTable(), &object, 1, nullptr, nullptr, 0) == 0);
}

TEST_CASE_FIXTURE(HostFixture, "the arguments keep their reference counts") {
  const FakeTorch torch("tensor = Tensor(1)\narguments = [tensor, [tensor]]");
  const PyRef tensor = torch["tensor"];
  const Py_ssize_t before = referencesTo(tensor);
  CHECK(tensorsOf(torch, "arguments") == Addresses{1, 1});
  CHECK(referencesTo(tensor) == before);
}

} // namespace
} // namespace commtap
