// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/attribution.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/modules/module_hook.h"

namespace commtap {
namespace {

/// Makes a module call as the module hook does, until it is destroyed.
class ModuleCall {
 public:
  explicit ModuleCall(uint32_t module) : thread_(*ThreadState::current()), call_(thread_.openCall()) {
    beginCall(thread_, call_, Scope::Type::kModule, module);
  }
  ModuleCall(const ModuleCall&) = delete;
  ModuleCall& operator=(const ModuleCall&) = delete;
  ~ModuleCall() {
    endCall(thread_, call_);
  }

 private:
  ThreadState& thread_;
  OpenCall call_;
};

Origin originNow() {
  return currentOrigin(*ThreadState::current());
}

Origin originOfSent(const at::Tensor& tensor) {
  return currentOrigin(
      *ThreadState::current(), [&tensor] { return CallFacts{.tensor = &tensor, .kind = Kind::kAllReduce}; });
}

/// Stores the origin of the code that computes the gradient of `tensor`.
void noteOrigin(const at::Tensor& tensor, std::optional<Origin>& origin) {
  tensor.register_hook([&origin](const at::Tensor&) { origin = originNow(); });
}

void backward(const at::Tensor& loss) {
  torch::autograd::backward({loss.sum()}, {});
}

TEST_CASE_FIXTURE(TrackerFixture, "outside of all modules, in a module, in an optimizer step") {
  CHECK(originNow().phase == Phase::kOther);
  CHECK(originNow().module == kGlobalModule);
  const ModuleCall call(7);
  CHECK(originNow().phase == Phase::kForward);
  CHECK(originNow().module == 7);
  ThreadState& thread = *ThreadState::current();
  const uint32_t step = thread.enter({Scope::Type::kOptimizerStep, false, 7});
  CHECK(originNow().phase == Phase::kOptimizer);
  thread.leave(step);
}

TEST_CASE_FIXTURE(TrackerFixture, "in backward, the module whose forward made the node") {
  const at::Tensor x = at::ones({3}).requires_grad_();
  std::optional<Origin> inner;
  std::optional<Origin> outer;
  at::Tensor y;
  {
    const ModuleCall outer_call(1);
    const at::Tensor h = x * 2;
    noteOrigin(h, outer);
    {
      const ModuleCall inner_call(2);
      y = h.exp();
    }
    noteOrigin(y, inner);
    y = y * 3;
  }
  backward(y);
  REQUIRE((inner && outer));
  CHECK(inner->phase == Phase::kBackward);
  CHECK_FALSE(inner->is_gradient);
  CHECK(inner->module == 2); // a hook on exp's output runs as part of exp's backward
  CHECK(outer->module == 1);
}

TEST_CASE_FIXTURE(TrackerFixture, "a module called by the engine is a recompute") {
  const at::Tensor x = at::ones({3}).requires_grad_();
  std::optional<Origin> origin;
  at::Tensor y;
  {
    const ModuleCall call(4);
    y = x.sin();
  }
  y.register_hook([&origin](const at::Tensor&) {
    const ModuleCall again(4);
    origin = originNow();
  });
  backward(y);
  REQUIRE(origin);
  CHECK(origin->phase == Phase::kRecompute);
  CHECK(origin->module == 4);
}

TEST_CASE_FIXTURE(TrackerFixture, "a gradient belongs to the module that owns the parameter, under DDP to DDP") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t ddp = modules.add(0, "Ddp", "DistributedDataParallel", ModuleRole::kDdp, false);
  const uint32_t net = modules.add(ddp, "net", "Linear", ModuleRole::kPlain, false);
  const at::Tensor weight = at::ones({3}).requires_grad_();
  modules.addParameter(net, weight.unsafeGetTensorImpl(), {});
  std::optional<Origin> origin;
  const auto accumulator = torch::autograd::impl::grad_accumulator(weight);
  noteOrigin(weight, origin); // a leaf's hook runs as part of its AccumulateGrad node, before it
  backward(weight * 2);
  REQUIRE(origin);
  CHECK(origin->phase == Phase::kBackward);
  CHECK(origin->issued_in == net);
  CHECK(origin->module == ddp);
  CHECK(origin->is_gradient);
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "a bucket that is larger than the gradient belongs to the model, and so do its pieces") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t root = modules.add(0, "Bucketed", "C", ModuleRole::kPlain, false);
  const uint32_t net = modules.add(root, "net", "C", ModuleRole::kPlain, false);
  const at::Tensor weight = at::ones({3}).requires_grad_();
  modules.addParameter(net, weight.unsafeGetTensorImpl(), {});
  const auto accumulator = torch::autograd::impl::grad_accumulator(weight);
  std::optional<Origin> bucket;
  std::optional<Origin> piece;
  std::optional<Origin> gradient;
  weight.register_hook([&](const at::Tensor& grad) {
    const at::Tensor filled = at::ones({7});
    bucket = originOfSent(filled);
    piece = originOfSent(filled.narrow(0, 5, 2));
    gradient = originOfSent(grad);
    CHECK(originOfSent(grad.clone().narrow(0, 0, 2)).module == net);
  });
  backward(weight * 2);
  REQUIRE((bucket && piece && gradient));
  CHECK(piece->module == root);
  CHECK(piece->issued_in == net);
  CHECK(bucket->module == root);
  CHECK(bucket->issued_in == net);
  CHECK(gradient->module == net);
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "outside of modules and in an optimizer's step, memory of parameters identifies the module") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t net = modules.add(0, "Sent", "C", ModuleRole::kPlain, false);
  const at::Tensor weight = at::ones({3});
  modules.addParameter(net, weight.unsafeGetTensorImpl(), weight.storage());
  CHECK(originOfSent(weight.view({3, 1})).module == net);
  CHECK(originOfSent(weight).phase == Phase::kOther);
  CHECK(originOfSent(weight).issued_in == kGlobalModule);
  CHECK(originOfSent(at::Tensor()).module == kGlobalModule);
  ThreadState& thread = *ThreadState::current();
  const uint32_t step = thread.enter({Scope::Type::kOptimizerStep, false, kGlobalModule});
  CHECK(originOfSent(weight).module == net);
  CHECK(originOfSent(weight).phase == Phase::kOptimizer);
  thread.leave(step);
  const ModuleCall call(7);
  CHECK(originOfSent(weight).module == 7);
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "the memory that a call receives gives the module if the memory that it sends does not") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t net = modules.add(0, "Gathered", "C", ModuleRole::kPlain, false);
  const at::Tensor weight = at::ones({3});
  const at::Tensor shard = at::ones({2});
  modules.addParameter(net, weight.unsafeGetTensorImpl(), weight.storage());
  const CallFacts gather{.tensor = &shard, .received = &weight, .kind = Kind::kAllGather};
  CHECK(currentOrigin(*ThreadState::current(), [&] { return gather; }).module == net);
}

TEST_CASE_FIXTURE(TrackerFixture, "a closure runs with gradients, the step around it without") {
  ThreadState& thread = *ThreadState::current();
  const uint32_t step = thread.enter({Scope::Type::kOptimizerStepWithClosure, false, kGlobalModule});
  CHECK(originNow().phase == Phase::kOther);
  {
    const at::AutoGradMode off(false);
    CHECK(originNow().phase == Phase::kOptimizer);
  }
  thread.leave(step);
}

TEST_CASE_FIXTURE(TrackerFixture, "the constructor of a module that communicates is its set-up") {
  ThreadState& thread = *ThreadState::current();
  const uint32_t depth = thread.enter({Scope::Type::kSetUp, false, 7});
  CHECK(originNow().module == 7);
  CHECK(originNow().phase == Phase::kOther);
  thread.leave(depth);
}

TEST_CASE_FIXTURE(TrackerFixture, "a label holds outside of the calls that begin inside it") {
  ModuleRegistry& modules = ModuleRegistry::get();
  const uint32_t stage = modules.add(0, "Labelled", "C", ModuleRole::kPlain, false);
  ThreadState& thread = *ThreadState::current();
  thread.unit_labels.push_back({nullptr, UnitLabel::Library::kPipeline, false, "", Phase::kBackward, stage, 0, false});
  CHECK(originNow().module == stage);
  CHECK(originNow().phase == Phase::kBackward);
  {
    const ModuleCall call(7);
    CHECK(originNow().module == 7);
    CHECK(originNow().phase == Phase::kForward);
  }
  thread.unit_labels.clear();
}

TEST_CASE_FIXTURE(TrackerFixture, "a callback at the end of a backward has no module, and nothing is in not_seen") {
  const at::Tensor x = at::ones({3}).requires_grad_();
  std::optional<Origin> origin;
  x.register_hook([&origin](const at::Tensor&) {
    torch::autograd::Engine::get_default_engine().queue_callback([&origin] { origin = originNow(); });
  });
  backward(x * 2);
  REQUIRE(origin);
  CHECK(origin->phase == Phase::kBackward);
  CHECK(origin->issued_in == kGlobalModule);
  CHECK(origin->missed == Origin::kNothing);
}

/// Returns the modules of two all_reduces in a callback at the end of a backward, and a reason of not_seen, in a
/// process in which `body` has made the modules: "Net Net".
std::string atEndOfBackward(const std::function<void(const at::Tensor& weight)>& body) {
  const ChildResult child = TrackerFixture::runInTrackedChild([&] {
    for (const uint32_t ddp : ModuleRegistry::get().unreducedDdps()) {
      ModuleRegistry::get().noteReduced(ddp); // other tests have made it
    }
    const at::Tensor weight = at::ones({3}).requires_grad_();
    body(weight);
    std::string said;
    const at::Tensor y = weight * 2;
    y.register_hook([&said](const at::Tensor&) {
      torch::autograd::Engine::get_default_engine().queue_callback([&said] {
        for (const at::Tensor& bucket : {at::ones({3}), at::ones({1})}) {
          const Origin origin = originOfSent(bucket);
          said += ModuleRegistry::get().nameOf(origin.module, ModuleName::kRaw);
          said += origin.missed == Origin::kNothing ? " " : " (" + std::string(notSeenName(origin.missed)) + ") ";
        }
      });
    });
    backward(y);
    sayLine(said);
  });
  CHECK(child.status == 0);
  return child.said;
}

uint32_t addDdp(const char* name) {
  return ModuleRegistry::get().add(0, name, "DistributedDataParallel", ModuleRole::kDdp, false);
}

TEST_CASE_FIXTURE(TrackerFixture, "what torch does for a DDP outside of its calls is that DDP's if there is no other") {
  const ChildResult child = TrackerFixture::runInTrackedChild([] {
    for (const uint32_t ddp : ModuleRegistry::get().ddps()) {
      ModuleRegistry::get().died(ddp); // other tests have made it
    }
    std::string said;
    for (const char* name : {"One", "Other"}) {
      addDdp(name);
      for (const CommtapDdpWork work : {kCommtapDdpForward, kCommtapDdpBackward, kCommtapDdpOther}) {
        Origin origin;
        setOriginForDdp(work, origin);
        said +=
            ModuleRegistry::get().nameOf(origin.module, ModuleName::kRaw) + " " + std::string(phaseName(origin.phase));
        said += origin.missed == NotSeen::kUnknownOwner ? " unknown; " : "; ";
      }
    }
    sayLine(said);
  });
  CHECK(child.status == 0);
  CHECK(
      child.said ==
      "One forward; One backward; One other; "
      "Global forward unknown; Global backward unknown; Global other unknown; \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "what the end of a backward reduces is DDP's whose first buckets are delayed") {
  CHECK(atEndOfBackward([](const at::Tensor&) { addDdp("Static"); }) == "Static Static \n");
  CHECK(atEndOfBackward([](const at::Tensor&) {
          addDdp("One");
          addDdp("Other");
        }) == "Global (unknown_owner) Global (unknown_owner) \n");
  CHECK(atEndOfBackward([](const at::Tensor&) {
          addDdp("Later");
          ModuleRegistry::get().noteReduced(addDdp("Sooner"));
        }) == "Later Later \n");
  CHECK(atEndOfBackward([](const at::Tensor&) {
          ModuleRegistry::get().noteReduced(addDdp("Done"));
        }) == "Global Global \n");
  CHECK(atEndOfBackward([](const at::Tensor&) {
          addDdp("Untouched");
          setRunsInEngine([] { return 1; });
        }) == "Global Global \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "what the end of a backward reduces is not the DDP's of an earlier backward") {
  const std::string said = atEndOfBackward([](const at::Tensor& weight) {
    ModuleRegistry::get().addParameter(addDdp("Earlier"), weight.unsafeGetTensorImpl(), {});
    const at::Tensor other = weight.detach().requires_grad_();
    ModuleRegistry::get().addParameter(addDdp("Before"), other.unsafeGetTensorImpl(), {});
    std::optional<Origin> origin;
    const auto accumulator = torch::autograd::impl::grad_accumulator(other);
    noteOrigin(other, origin);
    backward(other * 2);
    CHECK(ModuleRegistry::get().nameOf(origin.value().module, ModuleName::kRaw) == "Before");
  });
  CHECK(said == "Earlier Earlier \n");
}

/// Returns a leaf at an address that no module's parameter has had.
at::Tensor unknownParameter() {
  std::vector<at::Tensor> made;
  do {
    made.push_back(at::ones({3}).requires_grad_());
  } while (ModuleRegistry::get().ownerOfTensor(made.back().unsafeGetTensorImpl()));
  return made.back();
}

TEST_CASE_FIXTURE(TrackerFixture, "a parameter without a module is reported as unattributed") {
  const uint64_t before = notSeen("unattributed_parameter");
  const at::Tensor weight = unknownParameter();
  std::optional<Origin> origin;
  noteOrigin(weight, origin);
  backward(weight * 2);
  REQUIRE(origin);
  CHECK(origin->module == kGlobalModule);
  CHECK(origin->missed == NotSeen::kUnattributedParameter);
  CHECK(notSeen("unattributed_parameter") == before); // without a collective no number is missing
}

TEST_CASE_FIXTURE(TrackerFixture, "a thread stands still in the module that it runs, or in none") {
  ThreadState& thread = *ThreadState::current();
  constexpr uint32_t kModule = 7;
  const uint32_t depth = thread.enter({Scope::Type::kModule, false, kModule});
  CHECK(stalledNow(&thread).module == kModule);
  CHECK(stalledNow(&thread).phase == Phase::kForward);
  thread.leave(depth);
  CHECK(stalledNow(&thread).module == kGlobalModule);
  CHECK(stalledNow(nullptr).module == kGlobalModule);
}

} // namespace
} // namespace commtap
