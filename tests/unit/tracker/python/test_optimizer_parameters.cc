// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/optimizer_parameters.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"
#include "tracker/python/parameter_facts.h"

namespace commtap {
namespace {

class OptimizerFixture {
 protected:
  /// Returns the gradient's number; 0 for none.
  uintptr_t gradientOfTensor() {
    const PyRef gradient = gradientOf(torch_["tensor"].get());
    return gradient ? reinterpret_cast<uintptr_t>(tensorImpl(gradient.get())) : 0;
  }

  const FakeTorch torch_{R"(
class Parameter(Tensor):
    is_leaf, grad = True, None
    def __init__(self, cdata, **attributes):
        super().__init__(cdata)
        self.__dict__.update(attributes)

class SGD:
    def __init__(self, groups): self.param_groups = groups
)"};
};

TEST_CASE_FIXTURE(OptimizerFixture, "parameters are visited by group and place; what is none is left out") {
  torch_.run(
      "sgd = SGD([{'params': [Parameter(1), 17, Parameter(2)]}, 17, {'params': ()}, {'params': [Parameter(3)]}])");
  std::string visited;
  forEachParameter(torch_["sgd"].get(), [&](PyObject* tensor, Py_ssize_t group, Py_ssize_t place) {
    visited += std::to_string(reinterpret_cast<uintptr_t>(tensorImpl(tensor))) + ":" + std::to_string(group) + "." +
               std::to_string(place) + " ";
  });
  CHECK(visited == "1:0.0 2:0.2 3:3.0 ");
}

TEST_CASE_FIXTURE(OptimizerFixture, "parameter groups are a list of the object's own") {
  torch_.run(R"(
class Lazy:
    @property
    def param_groups(self): raise RuntimeError("evaluated")
lazy, odd, sgd = Lazy(), SGD(17), SGD([])
)");
  CHECK(groupsOf(torch_["lazy"].get()) == nullptr);
  CHECK(groupsOf(torch_["odd"].get()) == nullptr);
  CHECK(groupsOf(torch_["sgd"].get()) != nullptr);
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE_FIXTURE(OptimizerFixture, "a gradient is Megatron's if the parameter has it, and none if torch would warn") {
  torch_.run("tensor = Parameter(1, grad=Tensor(11), main_grad=Tensor(12))");
  CHECK(gradientOfTensor() == 12);
  torch_.run("tensor = Parameter(1, grad=Tensor(11), main_grad=None)");
  CHECK(gradientOfTensor() == 11);
  torch_.run("tensor = Parameter(1, grad=Tensor(11), is_leaf=False)");
  CHECK(gradientOfTensor() == 0);
  torch_.run("tensor = Parameter(1)");
  CHECK(gradientOfTensor() == 0);
  CHECK(PyErr_Occurred() == nullptr);
}

} // namespace
} // namespace commtap
