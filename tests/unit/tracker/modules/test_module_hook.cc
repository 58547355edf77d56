// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/module_hook.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <functional>
#include <string>
#include <thread>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/registration.h"
#include "tracker/core/clock.h"
#include "tracker/core/steps.h"
#include "tracker/core/thread_state.h"

namespace commtap {
namespace {

constexpr size_t kArgumentsOffset = size_t{1} << (8 * sizeof(size_t) - 1); ///< of PEP 590

/// A call as torch's own function receives it.
struct Received {
  void* function = nullptr;
  void* const* arguments = nullptr;
  size_t flags = 0;
  void* names = nullptr;
};
Received received;
std::function<void*()> module_body;
int ids_asked = 0;
void* asked_with = nullptr;
long id_answer = -1;

void* original(void* function, void* const* arguments, size_t flags, void* names) {
  received = {function, arguments, flags, names};
  const std::function<void*()> now = module_body;
  return now ? now() : nullptr;
}

long askId(void* /*module*/, void* argument) {
  asked_with = argument;
  ++ids_asked;
  return id_answer;
}

uint32_t currentModule() {
  return ThreadState::current()->currentModule();
}

class ModuleHookFixture : public TrackerFixture {
 public:
  ModuleHookFixture() {
    ModuleHook::start({.module_id = askId});
    ModuleHook::setOriginal(original);
    ids_asked = 0;
    id_answer = -1;
  }
  ModuleHookFixture(const ModuleHookFixture&) = delete;
  ModuleHookFixture& operator=(const ModuleHookFixture&) = delete;
  ~ModuleHookFixture() {
    module_body = nullptr;
    for (const char& object : objects_) {
      ModuleHook::modules().remove(&object);
    }
  }

  /// Returns the address of the nth module object.
  void* object(size_t nth) {
    return &objects_.at(nth);
  }
  /// Makes the nth object a module of this name. Returns its id.
  uint32_t add(size_t nth, const std::string& name) {
    const uint32_t id = ModuleRegistry::get().add(kGlobalModule, name, name, ModuleRole::kPlain, false);
    REQUIRE(ModuleHook::modules().insert(object(nth), id));
    return id;
  }
  void* call(size_t nth) {
    std::array<void*, 1> arguments{object(nth)};
    return ModuleHook::call(nullptr, arguments.data(), 1, nullptr);
  }
  uint64_t calls(const std::string& name, Phase phase = Phase::kForward) const {
    for (const Module& module : report().modules) {
      if (module.raw_name == name) {
        return module.calls.at(static_cast<size_t>(phase));
      }
    }
    return 0;
  }

 private:
  std::array<char, 4> objects_{};
};

TEST_CASE_FIXTURE(ModuleHookFixture, "a call reaches torch's function as it came, inside the module") {
  const uint32_t id = add(0, "HookPlain");
  std::array<void*, 3> arguments{object(0), &received, nullptr};
  int function = 0;
  int names = 0;
  int result = 0;
  uint32_t inside = 0;
  module_body = [&]() -> void* {
    inside = currentModule();
    return &result;
  };
  CHECK(ModuleHook::call(&function, arguments.data(), 2 | kArgumentsOffset, &names) == &result);
  CHECK(received.function == &function);
  CHECK(received.arguments == arguments.data());
  CHECK(received.flags == (2 | kArgumentsOffset));
  CHECK(received.names == &names);
  CHECK(inside == id);
  CHECK(currentModule() == kGlobalModule);
  CHECK(calls("HookPlain") == 1);
  CHECK(ids_asked == 0);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "nested calls are all counted, timed or not, each inside its own module") {
  constexpr int kCalls = 2000;
  const uint32_t outer = add(0, "HookOuter");
  const uint32_t inner = add(1, "HookInner");
  int wrong = 0;
  const std::function<void*()> in_inner = [&]() -> void* {
    wrong += currentModule() == inner ? 0 : 1;
    return nullptr;
  };
  module_body = [&]() -> void* {
    module_body = in_inner;
    for (int nth = 0; nth < kCalls; ++nth) {
      call(1);
      wrong += currentModule() == outer ? 0 : 1;
    }
    return nullptr;
  };
  call(0);
  CHECK(wrong == 0);
  CHECK(calls("HookOuter") == 1);
  CHECK(calls("HookInner") == kCalls);
  CHECK(ThreadState::current()->depth() == 0);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "a call without positional arguments has no module") {
  int result = 0;
  module_body = [&] { return &result; };
  for (const size_t flags : {size_t{0}, kArgumentsOffset}) {
    received = {};
    CHECK(ModuleHook::call(nullptr, nullptr, flags, &result) == &result);
    CHECK(received.flags == flags);
    CHECK(received.names == &result);
  }
  CHECK(ids_asked == 0);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "the Python part names an object that was never seen") {
  id_answer = ModuleRegistry::get().add(kGlobalModule, "HookNew", "HookNew", ModuleRole::kPlain, false);
  uint32_t inside = 0;
  module_body = [&]() -> void* {
    inside = currentModule();
    return nullptr;
  };
  call(0);
  CHECK(ids_asked == 1);
  CHECK(inside == id_answer);
  CHECK(calls("HookNew") == 1);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "the calls of an object that is not a module are its caller's") {
  const uint32_t outer = add(0, "HookAround");
  REQUIRE(ModuleHook::modules().insert(object(1), kCommtapNoModule));
  uint32_t inside = 0;
  const std::function<void*()> note = [&]() -> void* {
    inside = currentModule();
    return nullptr;
  };
  for (const size_t nth : {size_t{1}, size_t{2}}) { // known as such, and one that has no id
    module_body = [&, nth]() -> void* {
      module_body = note;
      return call(nth);
    };
    call(0);
    CHECK(inside == outer);
    CHECK(ThreadState::current()->depth() == 0);
  }
  CHECK(ids_asked == 1);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "a call that raises returns no object, and ends the scopes left inside it") {
  add(0, "HookRaises");
  const uint32_t around = add(1, "HookCatches");
  uint32_t caught_in = 0;
  module_body = [&]() -> void* {
    module_body = []() -> void* {
      ThreadState::current()->enter({Scope::Type::kNamed, false, kGlobalModule});
      return nullptr;
    };
    CHECK(call(0) == nullptr);
    caught_in = currentModule();
    return nullptr;
  };
  CHECK(call(1) == nullptr);
  CHECK(caught_in == around);
  CHECK(ThreadState::current()->depth() == 0);
  CHECK(calls("HookRaises") == 1);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "a call by the autograd engine is a recompute") {
  add(0, "HookAgain");
  const at::Tensor x = at::ones({2}).requires_grad_();
  const at::Tensor y = x * 2;
  y.register_hook([this](const at::Tensor&) { call(0); });
  torch::autograd::backward({y.sum()}, {});
  CHECK(calls("HookAgain", Phase::kForward) == 0);
  CHECK(calls("HookAgain", Phase::kRecompute) == 1);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "only an outermost call is a forward pass of the step") {
  add(0, "HookRoot");
  add(1, "HookLeaf");
  const uint64_t before = report().steps.back().forward_passes;
  module_body = [&]() -> void* {
    module_body = nullptr;
    return call(1);
  };
  call(0);
  CHECK(report().steps.back().forward_passes == before + 1);
}

/// A parameter of the module that is called.
at::Tensor trained;
int parameters_asked = 0;

TEST_CASE_FIXTURE(ModuleHookFixture, "an outermost call with gradients looks for a parameter that has changed") {
  const ChildResult child = runInTrackedChild([&] {
    Steps::resetInForkedChild();
    add(0, "HookParameter");
    add(1, "HookParameterChild");
    trained = at::ones({2});
    ModuleHook::start({.module_id = askId, .trained_parameter = [](void*) -> void* {
                         ++parameters_asked;
                         return trained.unsafeGetTensorImpl();
                       }});
    call(0);
    call(0);
    trained.add_(1);
    module_body = [&]() -> void* {
      module_body = nullptr;
      return call(1);
    };
    call(0);
    {
      const at::AutoGradMode off(false);
      call(0);
    }
    Steps::optimizerStepped();
    call(0);
    std::string said = std::to_string(parameters_asked) + " asked; forwards:";
    for (const Step& step : report().steps) {
      said += " " + std::to_string(step.forward_passes);
    }
    sayLine(said);
  });
  CHECK(child.said == "1 asked; forwards: 2 2 1\n");
}

TEST_CASE_FIXTURE(ModuleHookFixture, "what is looked up in a module call is a cost of module calls, once") {
  const ChildResult child = runInTrackedChild([&] {
    Steps::resetInForkedChild();
    add(0, "HookCost");
    ModuleHook::start({.module_id = askId, .trained_parameter = [](void*) -> void* {
                         const uint64_t until = steadyNow() + 5'000'000;
                         while (steadyNow() < until) {
                         }
                         return nullptr;
                       }});
    const OwnCost before = report().own_cost.value();
    std::thread([&] { call(0); }).join(); // a thread's first calls are all timed
    const OwnCost after = report().own_cost.value();
    sayLine(
        std::string(after.module_calls_ns - before.module_calls_ns >= 5'000'000 ? "once" : "never") +
        (after.other_ns == before.other_ns ? "" : ", and once more"));
  });
  CHECK(child.said == "once\n");
}

TEST_CASE_FIXTURE(ModuleHookFixture, "the first call on a thread is counted") {
  add(0, "HookThread");
  std::thread([&] { call(0); }).join();
  CHECK(calls("HookThread") == 1);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "a call inside another one registers the ops that came late") {
  add(0, "HookLate");
  add(1, "HookLater");
  bool queued_inside = true;
  module_body = [&]() -> void* {
    late_ops_queued = true;
    module_body = [&]() -> void* {
      queued_inside = late_ops_queued;
      return nullptr;
    };
    return call(1);
  };
  call(0);
  CHECK_FALSE(queued_inside);
}

TEST_CASE_FIXTURE(ModuleHookFixture, "a recursion deeper than the stack of scopes is counted, and unwinds") {
  constexpr uint32_t kDeep = ThreadState::kMaxDepth + 50;
  add(0, "HookDeep");
  const uint64_t before = notSeen("module_stack_too_deep");
  uint32_t depth = 0;
  module_body = [&]() -> void* { return ++depth < kDeep ? call(0) : nullptr; };
  call(0);
  CHECK(calls("HookDeep") == kDeep);
  CHECK(notSeen("module_stack_too_deep") == before + 50);
  CHECK(ThreadState::current()->depth() == 0);
}

} // namespace
} // namespace commtap
