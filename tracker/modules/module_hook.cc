// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/module_hook.h"

#include <array>
#include <memory>
#include <vector>

#include "tracker/attribution/module_registry.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/attribution/stage_tensors.h"
#include "tracker/collectives/registration.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/steps.h"
#include "tracker/core/thread_state.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/stream_order.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/torch/compat.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

/// PY_VECTORCALL_ARGUMENTS_OFFSET: the bit of the flags that is not part of the number of positional arguments
/// (PEP 590).
constexpr size_t kArgumentsOffset = size_t{1} << (8 * sizeof(size_t) - 1);

} // namespace

constinit ObjectTable ModuleHook::modules_;
constinit CommtapVectorcall ModuleHook::original_ = nullptr;
constinit ModuleHook::Functions ModuleHook::functions_;

uint32_t ModuleHook::idOf(void* const* arguments, size_t count) {
  uint32_t id = modules_.find(arguments[0]);
  if (id == kCommtapUnknownModule) {
    const long found = functions_.module_id(arguments[0], count > 1 ? arguments[1] : nullptr);
    id = found < 0 ? kCommtapNoModule : static_cast<uint32_t>(found);
  }
  return id;
}

/// Every module call comes through here. Module.__call__ calls `_call_impl`, and so do a job's or a compiler's
/// replacements of it, as a bound method with unpacked arguments. Every Python version does so by the function's
/// vectorcall. A vectorcall on __call__ itself would miss calls: 3.11 ignores it if one Python function calls another,
/// as in `super().__call__`.
void* ModuleHook::call(void* function, void* const* arguments, size_t flags, void* names) {
  const size_t count = flags & ~kArgumentsOffset;
  const uint32_t id = count > 0 ? idOf(arguments, count) : kCommtapNoModule;
  ThreadState* thread = id == kCommtapNoModule ? nullptr : ThreadState::current();
  if (thread == nullptr) {
    return original_(function, arguments, flags, names);
  }
  const uint32_t stands_for = thread->module_calls_tick.nextStandsFor();
  const OpenCall call = thread->openCall();
  {
    const CostSample sample(CostPart::kModuleCalls, stands_for);
    registerLateOps();
    if (call.is_outermost && Steps::seekParameters() && functions_.trained_parameter != nullptr) [[unlikely]] {
      catchAllInSample(
          "a parameter", [&] { ParameterWatch::callBegins(id, arguments[0], functions_.trained_parameter); });
    }
    if (DeviceTiming::isOn()) [[unlikely]] {
      catchAllInSample("a module's stream", [&] { StreamOrder::moduleCalled(*thread); });
    }
    beginCall(*thread, call, Scope::Type::kModule, id);
  }
  std::optional<uint64_t> generator;
  if (call.is_outermost && Sampler::isRecording()) [[unlikely]] {
    catchAll("a module's input", [&] { generator = sampleInputs({arguments, count, names}); });
  }
  void* result = original_(function, arguments, flags, names);
  if (generator) [[unlikely]] {
    catchAll("a module's end", [&] { Sampler::forwardEnds(*generator); });
  }
  const CostSample sample(CostPart::kModuleCalls, stands_for);
  endCall(*thread, call);
  if (call.is_outermost && StageTensors::wanted()) [[unlikely]] {
    catchAllInSample("a module call", [&] { noteTensors(*thread, id, {arguments, count, names}, result); });
  }
  return result;
}

/// Returns the state of torch's generator before the call; nullopt if the call is not sampled. Torch's pipelines run
/// the first batch once more to learn shapes, which trains nothing.
std::optional<uint64_t> ModuleHook::sampleInputs(const Call& call) {
  constexpr size_t kMaxTensors = 64;
  if (functions_.tensors_in == nullptr || compat::inBackward() || !compat::gradEnabled() ||
      runningTorchFunction().infers_shapes) {
    return std::nullopt;
  }
  std::array<void*, kMaxTensors> found{};
  const size_t count =
      functions_.tensors_in(call.arguments + 1, call.count - 1, call.names, found.data(), found.size());
  std::vector<const c10::TensorImpl*> tensors;
  for (size_t i = 0; i < count; ++i) {
    tensors.push_back(static_cast<const c10::TensorImpl*>(found[i]));
  }
  Sampler::forwardBegins(tensors);
  return Sampler::generatorState();
}

void ModuleHook::noteTensors(ThreadState& thread, uint32_t module, const Call& call, void* result) {
  constexpr size_t kMaxTensors = 64;
  if (functions_.tensors_in == nullptr || compat::inBackward()) {
    return;
  }
  if (thread.stage_tensors == nullptr) {
    thread.stage_tensors = std::make_shared<StageTensors>();
  }
  if (ModuleRegistry::get().parentOf(module) != kGlobalModule) {
    module = moduleOfRunningForward(module); // a part of a stage whose `forward` is called directly
  }
  std::array<void*, kMaxTensors> found{};
  const size_t inputs =
      functions_.tensors_in(call.arguments + 1, call.count - 1, call.names, found.data(), found.size());
  for (size_t i = 0; i < inputs; ++i) {
    thread.stage_tensors->noteInput(module, *static_cast<const at::TensorImpl*>(found[i]));
  }
  const size_t outputs = result == nullptr ? 0 : functions_.tensors_in(&result, 1, nullptr, found.data(), found.size());
  for (size_t i = 0; i < outputs; ++i) {
    thread.stage_tensors->noteOutput(module, *static_cast<const at::TensorImpl*>(found[i]));
  }
}

void pushScope(std::string_view name) {
  ThreadState* thread = ThreadState::current();
  if (thread == nullptr) {
    return;
  }
  registerLateOps();
  const uint32_t module = ModuleRegistry::get().scope(thread->currentModule(), name);
  const OpenCall& call = thread->open_scopes.emplace_back(thread->openCall());
  beginCall(*thread, call, Scope::Type::kNamed, module);
}

bool popScope() {
  ThreadState* thread = ThreadState::current();
  if (thread == nullptr) {
    return false;
  }
  // A named scope ends with the module call around it, by return or exception.
  while (!thread->open_scopes.empty() && !thread->isNamed(thread->open_scopes.back().depth)) {
    thread->open_scopes.pop_back();
  }
  if (thread->open_scopes.empty() || thread->open_scopes.back().depth + 1 != thread->depth()) {
    return false;
  }
  endCall(*thread, thread->open_scopes.back());
  thread->open_scopes.pop_back();
  return true;
}

} // namespace commtap
