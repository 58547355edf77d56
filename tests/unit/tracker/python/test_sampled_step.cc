// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/sampled_step.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

using Texts = std::vector<std::string>;

/// A parameter that was handed over, with copies of its texts.
struct Taken {
  explicit Taken(const CommtapSampledParameter& parameter)
      : facts(parameter),
        name(parameter.name),
        shapes(std::string(parameter.shape) + " " + parameter.local_shape + " " + parameter.dtype),
        mesh(std::string(parameter.mesh) + " " + parameter.placements + " " + parameter.coordinate),
        value(reinterpret_cast<uintptr_t>(parameter.value)),
        gradient(reinterpret_cast<uintptr_t>(parameter.gradient)) {}

  CommtapSampledParameter facts; ///< its texts are gone
  std::string name;
  std::string shapes;
  std::string mesh;
  uintptr_t value;
  uintptr_t gradient; ///< 0 for none
};

/// Records what the sampler is asked and given.
struct FakeSampler {
  bool is_due = true;
  std::string unwanted{};
  Texts steps{}; ///< "optimizer: step" of each that began
  size_t counted = 0;
  std::vector<Taken> taken{};

  CommtapStepSampler table() {
    return {
        .data = this,
        .begins =
            [](void* data, uint32_t optimizer, uint64_t step) {
              auto& sampler = *static_cast<FakeSampler*>(data);
              sampler.steps.push_back(std::to_string(optimizer) + ": " + std::to_string(step));
              return sampler.is_due ? 1 : 0;
            },
        .counted = [](void* data, size_t parameters) { static_cast<FakeSampler*>(data)->counted = parameters; },
        .wants = [](void* data, const char* name) { return static_cast<FakeSampler*>(data)->unwanted == name ? 0 : 1; },
        .take =
            [](void* data, const CommtapSampledParameter* parameter) {
              static_cast<FakeSampler*>(data)->taken.emplace_back(*parameter);
            }};
  }
};

/// Makes `SGD(groups).step()`, with a frame like that of torch's, and knows `net`, named "Net", as module 1.
class StepFixture : public HostFixture {
 public:
  StepFixture() {
    torch_.define("begin", [this] {
      const PendingError pending;
      sampler_.counted = 0;
      sampler_.taken.clear();
      const CommtapStepSampler table = sampler_.table();
      sampleStep(fakeHostTable(), modules_, optimizers_, table);
    });
    fakeHost().modules.push_back({0, "Net"});
    CHECK(modules_.add(torch_["net"].get(), 1));
  }

 protected:
  Texts takenNames() const {
    Texts names;
    for (const Taken& each : sampler_.taken) {
      names.push_back(each.name);
    }
    return names;
  }
  /// Returns the only parameter of a step of an optimizer that has `tensor`.
  Taken takenOf(const char* tensor) {
    torch_.run((std::string("net._parameters.clear()\nnet._parameters['own'] = tensor = ") + tensor +
                "\nSGD([{'params': [tensor]}]).step()")
                   .c_str());
    REQUIRE(takenNames() == Texts{"Net.own"});
    return sampler_.taken.front();
  }

  const FakeTorch torch_{R"(
class Parameter(Tensor):
    is_leaf, grad = True, None
    def __init__(self, cdata, grad=None, **attributes):
        super().__init__(cdata)
        self.__dict__.update(attributes, grad=grad)

class SGD:
    def __init__(self, groups): self.param_groups = groups
    def step(self, *args):
        def wrapper(*args, **kwargs): begin()
        wrapper(self, *args)

weight, bias, head = Parameter(1, Tensor(11)), Parameter(2), Parameter(3)
frozen = Parameter(4, requires_grad=False)
net = Net(parameters={"weight": weight, "bias": bias, "head": head, "frozen": frozen})
)"};
  ModuleMap& modules_ = *new ModuleMap(fakeHostTable()); ///< leaked on purpose: weak references refer to it
  KnownOptimizers optimizers_;
  FakeSampler sampler_;
};

TEST_CASE_FIXTURE(StepFixture, "a step hands over the optimizer's parameters in its order, by the model's names") {
  torch_.run("SGD([{'params': [head, weight]}, {'params': [bias, frozen]}]).step()");
  CHECK(takenNames() == Texts{"Net.head", "Net.weight", "Net.bias", "Net.frozen"});
  CHECK(sampler_.counted == 4);
  CHECK(sampler_.steps == Texts{"0: 1"});
  const Taken& weight = sampler_.taken[1];
  CHECK(weight.shapes == "[2,3] [2,3] float32");
  CHECK(weight.mesh == "  ");
  CHECK(weight.value == 1);
  CHECK(weight.gradient == 11);
  CHECK(weight.facts.is_in_optimizer == 1);
  CHECK(weight.facts.has_model_name == 1);
  CHECK(weight.facts.requires_grad == 1);
  CHECK(sampler_.taken[3].facts.requires_grad == 0);
  CHECK(sampler_.taken[3].gradient == 0);
  CHECK(fakeHost().plain_tensors == 0);
}

TEST_CASE_FIXTURE(StepFixture, "a parameter that no module has is named by its place in the optimizer") {
  torch_.run("SGD([{'params': []}, {'params': [weight, 17, Parameter(9), weight]}]).step()");
  CHECK(takenNames() == Texts{"Net.weight", "optimizer0.group1.2", "Net.bias", "Net.head", "Net.frozen"});
  CHECK(sampler_.taken[1].facts.has_model_name == 0);
}

TEST_CASE_FIXTURE(StepFixture, "parameters follow that no optimizer has which has stepped yet") {
  torch_.run("sgd = SGD([{'params': [weight]}])\nsgd.step()");
  CHECK(takenNames() == Texts{"Net.weight", "Net.bias", "Net.head", "Net.frozen"});
  CHECK(sampler_.taken[1].facts.is_in_optimizer == 0);
  torch_.run("other = SGD([{'params': [bias]}])\nother.step()");
  CHECK(takenNames() == Texts{"Net.bias"});
  torch_.run("sgd.step()");
  CHECK(takenNames() == Texts{"Net.weight", "Net.head", "Net.frozen"});
  torch_.run("del sgd\nother.step()");
  CHECK(takenNames() == Texts{"Net.bias", "Net.weight", "Net.head", "Net.frozen"});
  CHECK(sampler_.steps == Texts{"0: 1", "1: 1", "0: 2", "1: 2"});
}

TEST_CASE_FIXTURE(StepFixture, "buffers that a checkpoint has come last") {
  torch_.run(R"(
net._buffers = {"mean": Tensor(21), "mask": Tensor(22), "none": None}
net._non_persistent_buffers_set = {"mask"}
SGD([{'params': [weight, bias, head, frozen]}]).step()
)");
  CHECK(takenNames() == Texts{"Net.weight", "Net.bias", "Net.head", "Net.frozen", "Net.mean"});
  CHECK(sampler_.taken.back().facts.is_buffer == 1);
  CHECK(sampler_.taken.back().facts.is_in_optimizer == 0);
  CHECK(sampler_.taken.back().value == 21);
  CHECK(sampler_.taken[3].facts.is_buffer == 0);
}

TEST_CASE_FIXTURE(StepFixture, "nothing is read of a step that is not due, and of a parameter that is not wanted") {
  torch_.run("sgd = SGD([{'params': [weight, bias]}])");
  sampler_.is_due = false;
  torch_.run("sgd.step()");
  CHECK(fakeHost().plain_tensors_at == 0);
  CHECK(takenNames().empty());
  sampler_.is_due = true;
  sampler_.unwanted = "Net.weight";
  torch_.run("sgd.step()");
  CHECK(takenNames() == Texts{"Net.bias", "Net.head", "Net.frozen"});
  CHECK(sampler_.counted == 4);
  CHECK(sampler_.steps == Texts{"0: 1", "0: 2"});
}

TEST_CASE_FIXTURE(StepFixture, "no step begins without an optimizer in the near frames, or with odd parameter groups") {
  torch_.run(R"(
class Lazy(SGD):
    def __init__(self): pass
    @property
    def param_groups(self): raise RuntimeError("evaluated")
def deep(depth): begin() if depth == 0 else deep(depth - 1)
def far(*args): deep(5)
begin()
Lazy().step()
SGD(17).step()
far(SGD([]))
)");
  CHECK(sampler_.steps.empty());
  torch_.run("SGD([17, {}, {'params': (weight,)}, {'params': [None]}]).step()");
  CHECK(sampler_.steps == Texts{"0: 1"});
  CHECK(takenNames() == Texts{"Net.weight", "Net.bias", "Net.head", "Net.frozen"});
}

TEST_CASE_FIXTURE(StepFixture, "a gradient is Megatron's if the parameter has it, and none if torch would warn") {
  CHECK(takenOf("Parameter(1, Tensor(11), main_grad=Tensor(12))").gradient == 12);
  CHECK(takenOf("Parameter(1, Tensor(11), main_grad=None)").gradient == 11);
  CHECK(takenOf("Parameter(1, Tensor(11), is_leaf=False)").gradient == 0);
  CHECK(takenOf("Parameter(1, 17)").gradient == 0);
}

TEST_CASE_FIXTURE(StepFixture, "what a parameter declares is 1 or 0 if it has the attribute, else -1") {
  const Taken plain = takenOf("Parameter(1)");
  CHECK(plain.facts.tensor_model_parallel == -1);
  CHECK(plain.facts.sequence_parallel == -1);
  CHECK(plain.facts.allreduce == -1);
  CHECK(plain.facts.is_fsdp1_flat == 0);
  const Taken declared =
      takenOf("Parameter(1, tensor_model_parallel=True, sequence_parallel=False, allreduce=1, _is_flat_param=True)");
  CHECK(declared.facts.tensor_model_parallel == 1);
  CHECK(declared.facts.sequence_parallel == 0);
  CHECK(declared.facts.allreduce == -1);
  CHECK(declared.facts.is_fsdp1_flat == 1);
}

TEST_CASE_FIXTURE(
    StepFixture,
    "a DTensor is sampled as its local tensor, with its mesh and whether its gradient is partial") {
  torch_.run(R"py(
class Placement:
    def __init__(self, text): self.text = text
    def __repr__(self): return self.text
class Partial(Placement): pass
class _NormPartial(Partial): pass
mesh = types.SimpleNamespace(shape=(2,), mesh_dim_names=("tp",), _coordinate_on_dim=[1], _rank=1,
                             _flatten_rank_map=(0, 1), _layout=types.SimpleNamespace(shape=(2,), stride=(1,)))
def dtensor(local, placement, grad=None):
    tensor = DTensor(99, (8, 3), Spec(mesh, (placement,)), Tensor(local, (4, 3)))
    tensor.is_leaf, tensor.grad = True, grad
    return tensor
shard = Placement("Shard(dim=0)")
)py");
  const Taken taken = takenOf("dtensor(5, shard, dtensor(6, shard))");
  CHECK(taken.value == 5);
  CHECK(taken.gradient == 6);
  CHECK(taken.shapes == "[8,3] [4,3] float32");
  CHECK(taken.mesh == R"json({"dim_names":["tp"],"shape":[2],"ranks":[0,1]} ["Shard(dim=0)"] [1])json");
  CHECK(taken.facts.is_gradient_partial == 0);
  CHECK(takenOf("dtensor(5, shard, dtensor(6, Partial('Partial(sum)')))").facts.is_gradient_partial == 1);
  CHECK(takenOf("dtensor(5, shard, dtensor(6, _NormPartial('odd')))").facts.is_gradient_partial == 1);
}

TEST_CASE_FIXTURE(
    StepFixture,
    "a parameter whose shape cannot be read is named as not seen; the others are handed over") {
  torch_.run(R"(
class Lazy(TensorBase):
    @property
    def shape(self): raise RuntimeError("not yet")
SGD([{'params': [Lazy(), weight]}]).step()
)");
  CHECK(takenNames() == Texts{"Net.weight", "Net.bias", "Net.head", "Net.frozen"});
  CHECK(fakeHost().not_seen == Texts{"optimizer0.group0.0"});
}

} // namespace
} // namespace commtap
