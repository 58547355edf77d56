// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/module_hook.h"

#include "tracker/collectives/registration.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/thread_state.h"
#include "tracker/modules/scopes.h"

namespace commtap {
namespace {

/// PY_VECTORCALL_ARGUMENTS_OFFSET: the one bit of the flags that is not the number of positional arguments (PEP 590).
constexpr size_t kArgumentsOffset = size_t{1} << (8 * sizeof(size_t) - 1);

/// Nothing has to be done for the call but what is done for each.
bool isUsual(ThreadState& thread, const OpenCall& call) {
  if (call.isInside() && !late_ops_queued.load(std::memory_order_relaxed)) [[likely]] {
    return thread.module_calls_tick.passOver();
  }
  return false;
}

} // namespace

constinit ObjectTable ModuleHook::modules_;
constinit CommtapVectorcall ModuleHook::original_ = nullptr;
constinit ModuleHook::IdOf ModuleHook::id_of_ = nullptr;

/// Every module call passes here: Module.__call__ calls `_call_impl`, and so does what a job or a compiler puts in
/// front of that, as a bound method with unpacked arguments. Every Python does so by the vectorcall of the function.
/// That of __call__ itself 3.11 ignores where one Python function calls another, as `super().__call__`.
void* ModuleHook::call(void* function, void* const* arguments, size_t flags, void* names) {
  if ((flags & ~kArgumentsOffset) == 0) [[unlikely]] {
    return original_(function, arguments, flags, names);
  }
  const ObjectTable::Found called = modules_.findInTurn(arguments[0]);
  // All that a usual call needs stays in registers, and its end is one piece of the code: by the time that a model has
  // computed, neither the stack nor the code is in the first cache any more.
  ThreadState* thread = ThreadState::ifKnown();
  if (called.id >= kCommtapNoModule || thread == nullptr) [[unlikely]] {
    return callUnusual(function, arguments, flags, names, called.id, called.next_id);
  }
  const OpenCall call = thread->openCall();
  if (!isUsual(*thread, call)) [[unlikely]] {
    return callUnusual(function, arguments, flags, names, called.id, called.next_id);
  }
  ProcessLedger::ledger().prefetchModuleCall(called.next_id);
  beginCall(*thread, call, Scope::Type::kModule, called.id);
  void* result = original_(function, arguments, flags, names);
  endCall(*thread, call);
  return result;
}

void* ModuleHook::callUnusual(
    void* function,
    void* const* arguments,
    size_t flags,
    void* names,
    uint32_t id,
    uint32_t next_id) {
  if (id == kCommtapUnknownModule) {
    const long found = id_of_(arguments[0]);
    id = found < 0 ? kCommtapNoModule : static_cast<uint32_t>(found);
  }
  ThreadState* thread = ThreadState::current();
  if (id == kCommtapNoModule || thread == nullptr) {
    return original_(function, arguments, flags, names);
  }
  const uint32_t stands_for = thread->module_calls_tick.nextStandsFor();
  const OpenCall call = thread->openCall();
  {
    const CostSample sample(CostPart::kModuleCalls, stands_for);
    registerLateOps();
    ProcessLedger::ledger().prefetchModuleCall(next_id);
    beginCall(*thread, call, Scope::Type::kModule, id);
  }
  void* result = original_(function, arguments, flags, names);
  const CostSample sample(CostPart::kModuleCalls, stands_for);
  endCall(*thread, call);
  return result;
}

} // namespace commtap
