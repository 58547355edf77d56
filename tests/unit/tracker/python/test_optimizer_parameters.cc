// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/sampled_step.h"

#include <string>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/python/running_work.h"

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

std::string taken_parameters;

void take(void* /*data*/, void* parameter, void* gradient) {
  taken_parameters += std::to_string(reinterpret_cast<uintptr_t>(parameter)) + ":" +
                      std::to_string(reinterpret_cast<uintptr_t>(gradient)) + " ";
}

/// Makes `look()`, which reads the gradients of the step that runs.
class GradientsFixture : public HostFixture {
 public:
  GradientsFixture() {
    startRunningWork();
    torch_.define("look", [] {
      const PendingError pending;
      taken_parameters.clear();
      stepGradients(fakeHostTable(), take, nullptr);
    });
  }

 protected:
  const FakeTorch torch_{R"(
class Parameter(Tensor):
    is_leaf = True
    def __init__(self, cdata, grad=None):
        super().__init__(cdata)
        self.grad = grad

class SGD:
    def __init__(self, *parameters): self.param_groups = [{"params": list(parameters)}]
    def step(self, closure=None): self.update()
    def update(self): look()
)"};
};

TEST_CASE_FIXTURE(GradientsFixture, "the parameters with a gradient of the optimizer whose step runs") {
  torch_.run("SGD(Parameter(1, Tensor(11)), Parameter(2), Parameter(3, Tensor(13))).step()");
  CHECK(taken_parameters == "1:11 3:13 ");
  CHECK(fakeHost().plain_tensors == 0);
  torch_.run("SGD(Parameter(1, DTensor(99, (8, 3), None, Tensor(12)))).step()");
  CHECK(taken_parameters.empty());
}

TEST_CASE_FIXTURE(GradientsFixture, "a step whose object is not called self has torch's function around it") {
  torch_.run(R"(
class Short(SGD):
    def step(s): look()
def wrapper(*args, **kwargs): args[0].step()
wrapper(Short(Parameter(1, Tensor(11))))
)");
  CHECK(taken_parameters == "1:11 ");
}

TEST_CASE_FIXTURE(GradientsFixture, "the innermost step's, and none outside of a step") {
  torch_.run(R"(
class Outer(SGD):
    def step(self, closure=None): SGD(Parameter(4, Tensor(14))).step()
Outer(Parameter(1, Tensor(11))).step()
)");
  CHECK(taken_parameters == "4:14 ");
  torch_.run("SGD(Parameter(1, Tensor(11))).update()");
  CHECK(taken_parameters.empty());
}

} // namespace
} // namespace commtap
