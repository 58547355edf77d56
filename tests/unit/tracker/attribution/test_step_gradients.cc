// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/step_gradients.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <optional>
#include <utility>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/attribution.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/modules/labels.h"

namespace commtap {
namespace {

/// The parameters and gradients of the optimizer that steps, and how often they were read.
struct Optimizer {
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients;
  int reads = 0;
};
Optimizer optimizer;

void readGradients(CommtapTakeGradient take, void* data) {
  ++optimizer.reads;
  for (const auto& [parameter, gradient] : optimizer.gradients) {
    take(data, parameter.unsafeGetTensorImpl(), gradient.unsafeGetTensorImpl());
  }
}

/// A model with two layers of one parameter each.
class GradientFixture : public TrackerFixture {
 public:
  GradientFixture() {
    optimizer = {};
    StepGradients::setFunction(readGradients);
  }
  GradientFixture(const GradientFixture&) = delete;
  GradientFixture& operator=(const GradientFixture&) = delete;
  ~GradientFixture() {
    StepGradients::setFunction(nullptr);
    optimizer = {};
  }

 protected:
  static uint32_t addLayer(uint32_t parent, const char* name, const at::Tensor& gradient) {
    const uint32_t layer = ModuleRegistry::get().add(parent, name, "C", ModuleRole::kPlain, false);
    const at::Tensor weight = at::ones({4});
    ModuleRegistry::get().addParameter(layer, weight.unsafeGetTensorImpl(), weight.storage());
    optimizer.gradients.emplace_back(weight, gradient);
    return layer;
  }
  /// Returns the module of a tensor that is sent in a step of a torch optimizer.
  static uint32_t moduleInStep(const at::Tensor& tensor) {
    int label = 0;
    openLabel("Optimizer.step#SGD.step", &label);
    const uint32_t module = moduleOf(tensor);
    closeLabel(&label);
    return module;
  }
  static uint32_t moduleOf(const at::Tensor& tensor) {
    return currentOrigin(
               *ThreadState::current(), [&tensor] { return CallFacts{.tensor = &tensor, .kind = Kind::kAllReduce}; })
        .module;
  }

  const uint32_t root_ = ModuleRegistry::get().add(0, "Stepped", "C", ModuleRole::kPlain, false);
};

TEST_CASE_FIXTURE(GradientFixture, "a gradient that an optimizer's step sends is its parameter's module's") {
  const at::Tensor gradient = at::ones({4});
  const uint32_t left = addLayer(root_, "left", gradient);
  CHECK(moduleInStep(gradient) == left);
  CHECK(moduleInStep(gradient.view({2, 2})) == left);
  CHECK(moduleInStep(gradient.narrow(0, 1, 2)) == left);
  CHECK(moduleInStep(gradient.clone()) == kGlobalModule);
  CHECK(moduleInStep(at::stack({gradient, gradient})) == kGlobalModule);
  CHECK(moduleInStep(at::Tensor()) == kGlobalModule);
  CHECK(moduleOf(gradient) == kGlobalModule); // outside of a step
}

TEST_CASE_FIXTURE(GradientFixture, "a buffer of gradients is their common ancestor's, its parts are their modules'") {
  const at::Tensor flat = at::ones({12});
  const uint32_t left = addLayer(root_, "left", flat.narrow(0, 0, 4));
  const uint32_t right = addLayer(root_, "right", flat.narrow(0, 4, 4));
  optimizer.gradients.emplace_back(at::ones({4}), flat.narrow(0, 8, 4)); // of no module
  CHECK(moduleInStep(flat.narrow(0, 0, 4)) == left);
  CHECK(moduleInStep(flat.narrow(0, 4, 4)) == right);
  CHECK(moduleInStep(flat.narrow(0, 0, 8)) == root_);
  CHECK(moduleInStep(flat.narrow(0, 6, 4)) == kGlobalModule);
  CHECK(moduleInStep(flat) == kGlobalModule);
  CHECK(moduleInStep(flat.narrow(0, 0, 0)) == kGlobalModule);
}

TEST_CASE_FIXTURE(GradientFixture, "gradients are read once per step, and only if memory of no parameter is sent") {
  at::Tensor gradient = at::ones({4});
  const uint32_t left = addLayer(root_, "left", gradient);
  int label = 0;
  for (int step = 1; step <= 2; ++step) {
    openLabel("Optimizer.step#SGD.step", &label);
    CHECK(moduleOf(optimizer.gradients[0].first) == left);
    CHECK(optimizer.reads == step - 1);
    for (int call = 0; call < 3; ++call) {
      CHECK(moduleOf(optimizer.gradients[0].second) == left);
      CHECK(moduleOf(at::ones({4})) == kGlobalModule);
    }
    CHECK(optimizer.reads == step);
    closeLabel(&label);
    CHECK(ThreadState::current()->step_gradients == nullptr);
    optimizer.gradients[0].second = at::ones({4});
  }
}

TEST_CASE_FIXTURE(GradientFixture, "a gradient is freed in the step, and no other memory is taken for it") {
  addLayer(root_, "left", at::ones({4}));
  int label = 0;
  openLabel("Optimizer.step#SGD.step", &label);
  moduleOf(at::ones({4}));
  const c10::weak_intrusive_ptr<c10::StorageImpl> freed = optimizer.gradients[0].second.storage().getWeakStorageImpl();
  optimizer.gradients.clear();
  CHECK(freed.expired());
  for (int i = 0; i < 100; ++i) {
    CHECK(moduleOf(at::ones({4})) == kGlobalModule);
  }
  closeLabel(&label);
}

TEST_CASE_FIXTURE(GradientFixture, "a gradient that Python dispatches is known by its memory, as in a plan") {
  const at::Tensor gradient = at::ones({4});
  gradient.unsafeGetTensorImpl()->set_python_dispatch(true);
  const uint32_t left = addLayer(root_, "left", gradient);
  CHECK(moduleInStep(gradient) == left);
  gradient.unsafeGetTensorImpl()->set_python_dispatch(false);
}

TEST_CASE_FIXTURE(GradientFixture, "a process without Python reads no gradients") {
  const at::Tensor gradient = at::ones({4});
  addLayer(root_, "left", gradient);
  StepGradients::setFunction(nullptr);
  CHECK(moduleInStep(gradient) == kGlobalModule);
}

} // namespace
} // namespace commtap
