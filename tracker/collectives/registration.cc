// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/registration.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include "tracker/collectives/collective_kernel.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

struct Registrations {
  std::mutex mutex;
  /// Kernels by "ns::op.overload"; nullopt for an op that got none.
  std::unordered_map<std::string, std::optional<c10::RegistrationHandleRAII>> ops;
  /// Kernels by schema. Never freed: another thread may still run a removed kernel.
  std::unordered_map<std::string, c10::KernelFunction> kernels;
  std::optional<c10::RegistrationHandleRAII> listener;
  std::mutex queue_mutex; ///< taken under the dispatcher's lock: its holder must not call the dispatcher
  std::vector<c10::OperatorName> queue;
  at::CallbackHandle next_op = 0; ///< the callback onNextOp, while ops are queued
};

// Leaked on purpose: the dispatcher calls the kernels until the process exits.
Registrations& registrations() {
  static auto* instance = new Registrations();
  return *instance;
}

bool isWatched(const std::string& name) {
  if (isNoCollective(name)) {
    return false;
  }
  return isCollectiveNamespace(name) || findOpSpec(name) != nullptr || isUserOp(name);
}

c10::KernelFunction makeKernel(const c10::OperatorHandle& op) {
  const OpFacts facts = factsOf(op);
  if (std::optional<c10::KernelFunction> typed = typedKernelFor(facts, op)) {
    return std::move(*typed);
  }
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<CollectiveKernel>(facts));
}

const c10::KernelFunction& kernelFor(Registrations& state, const c10::OperatorHandle& op) {
  const std::string schema = toString(op.schema());
  const auto known = state.kernels.find(schema);
  return known != state.kernels.end() ? known->second : state.kernels.emplace(schema, makeKernel(op)).first->second;
}

/// Replaces an existing kernel of commtap: the op may have been redefined with other arguments.
void registerOp(Registrations& state, const c10::OperatorName& name) {
  const std::string full = toString(name);
  if (!isWatched(name.name)) {
    return;
  }
  const std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema(name);
  if (!op) {
    return;
  }
  std::optional<c10::RegistrationHandleRAII>& handle = state.ops[full];
  handle.reset();
  // An op's own kernel on this key must not be replaced.
  if (op->hasKernelForDispatchKey(c10::DispatchKey::BackendSelect)) {
    ProcessLedger::ledger().notSeen(NotSeen::kUnwatchedOp, full);
    return;
  }
  handle = c10::Dispatcher::singleton().registerImpl(
      name, c10::DispatchKey::BackendSelect, kernelFor(state, *op), std::nullopt, nullptr, "commtap");
}

void registerOpSafely(Registrations& state, const c10::OperatorName& name) noexcept {
  try {
    registerOp(state, name);
  } catch (...) { // the op stays as it is, and the report lists it as not seen
    ProcessLedger::ledger().notSeen(NotSeen::kUnwatchedOp, name.name);
  }
}

std::vector<c10::OperatorName> takeQueue(Registrations& state) {
  std::vector<c10::OperatorName> names;
  at::CallbackHandle next_op = 0;
  {
    const std::lock_guard<std::mutex> lock(state.queue_mutex);
    names.swap(state.queue);
    next_op = std::exchange(state.next_op, 0);
    late_ops_queued.store(false, std::memory_order_relaxed);
  }
  if (next_op != 0) {
    at::removeCallback(next_op);
  }
  return names;
}

bool isQueued(Registrations& state, const c10::OperatorName& name) {
  const std::lock_guard<std::mutex> lock(state.queue_mutex);
  return std::find(state.queue.begin(), state.queue.end(), name) != state.queue.end();
}

/// Runs inside the first op of any kind after a collective op was defined. The dispatcher has already chosen this op's
/// kernel: if the op is itself new, this call of it is not counted.
std::unique_ptr<at::ObserverContext> onNextOp(const at::RecordFunction& function) {
  catchAll("late ops", [&] {
    const std::optional<c10::OperatorName> name = function.operator_name();
    if (name && isQueued(registrations(), *name)) {
      const std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema(*name);
      if (op && !op->hasKernelForDispatchKey(c10::DispatchKey::BackendSelect)) {
        ProcessLedger::ledger().notSeen(NotSeen::kUnwatchedOp, toString(*name));
      }
    }
    registerLateOps();
  });
  return nullptr;
}

/// True on the thread that adds the listener and holds the mutex.
thread_local bool tls_adding_listener = false;

/// Queues new ops. Runs under the dispatcher's lock, where registering a kernel would deadlock. The next module
/// call, scope, or op of any kind registers the queued ops.
class LateOps final : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& op) override {
    Registrations& state = registrations();
    const c10::OperatorName& name = op.operator_name();
    if (!isWatched(name.name) || (tls_adding_listener && state.ops.count(toString(name)) > 0)) {
      return;
    }
    const std::lock_guard<std::mutex> lock(state.queue_mutex);
    state.queue.push_back(name);
    late_ops_queued.store(true, std::memory_order_release);
    if (state.next_op == 0) {
      state.next_op = at::addGlobalCallback(at::RecordFunctionCallback(onNextOp).scopes({at::RecordScope::FUNCTION}));
    }
  }
  void onOperatorDeregistered(const c10::OperatorHandle&) override {}
};

} // namespace

void startKernels(const std::vector<std::string>& user_ops) {
  Registrations& state = registrations();
  const std::lock_guard<std::mutex> lock(state.mutex);
  setUserOps(user_ops);
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    registerOpSafely(state, name);
  }
  // Adding the listener reports every existing op: those have their kernels already.
  tls_adding_listener = true;
  state.listener.emplace(c10::Dispatcher::singleton().addRegistrationListener(std::make_unique<LateOps>()));
  tls_adding_listener = false;
}

void stopKernels() {
  Registrations& state = registrations();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.listener.reset();
  state.ops.clear();
  takeQueue(state);
}

void registerQueuedOps() {
  Registrations& state = registrations();
  const std::vector<c10::OperatorName> names = takeQueue(state);
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (const c10::OperatorName& name : names) {
    registerOpSafely(state, name);
  }
}

ForkLock registrationForkLock() {
  return {&registrations().mutex, [] { new (&registrations()) Registrations(); }, "ops at a fork"};
}

ForkLock lateOpsForkLock() {
  using Queue = std::vector<c10::OperatorName>;
  return {&registrations().queue_mutex, [] { new (&registrations().queue) Queue(); }, "late ops at a fork"};
}

} // namespace commtap
