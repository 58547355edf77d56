// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/registration.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>

#include <ATen/core/dispatch/Dispatcher.h>

#include "tracker/collective_kernel.h"
#include "tracker/recorder.h"

namespace commtap {
namespace {

struct Registrations {
  std::mutex mutex;
  std::vector<std::string> patterns;
  /// "ns::op.overload": its kernel; nullopt if it was refused one.
  std::unordered_map<std::string, std::optional<c10::RegistrationHandleRAII>> ops;
  std::optional<c10::RegistrationHandleRAII> listener;
  std::mutex queue_mutex; ///< taken under the dispatcher's lock: never call the dispatcher with it
  std::vector<c10::OperatorName> queue;
};

// Leaked on purpose: the dispatcher calls the kernels until the process is gone.
Registrations& registrations() {
  static auto* instance = new Registrations();
  return *instance;
}

bool isWatched(const Registrations& state, const std::string& name) {
  if (isNoCollective(name)) {
    return false;
  }
  return isCollectiveNamespace(name) ||
         std::any_of(state.patterns.begin(), state.patterns.end(), [&](const std::string& pattern) {
           return matchesOpPattern(name, pattern);
         });
}

c10::KernelFunction kernelFor(const c10::OperatorHandle& op) {
  const OpFacts facts = factsOf(op);
  if (std::optional<c10::KernelFunction> typed = typedKernelFor(facts, op)) {
    return std::move(*typed);
  }
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<CollectiveKernel>(facts));
}

void registerOp(Registrations& state, const c10::OperatorName& name) {
  const std::string full = toString(name);
  if (!isWatched(state, name.name) || state.ops.count(full) > 0) {
    return;
  }
  const std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema(name);
  if (!op) {
    return;
  }
  std::optional<c10::RegistrationHandleRAII>& handle = state.ops[full];
  // An op with a kernel of its own on this key does something there that we must not replace.
  if (op->hasKernelForDispatchKey(c10::DispatchKey::BackendSelect)) {
    Recorder::get().ledger().notSeen(NotSeen::kUnwatchedOp, full);
    return;
  }
  handle = c10::Dispatcher::singleton().registerImpl(
      name, c10::DispatchKey::BackendSelect, kernelFor(*op), std::nullopt, nullptr, "commtap");
}

void registerOpSafely(Registrations& state, const c10::OperatorName& name) noexcept {
  try {
    registerOp(state, name);
  } catch (...) { // the op stays as it is; the report says that it was not watched
    Recorder::get().ledger().notSeen(NotSeen::kUnwatchedOp, name.name);
  }
}

/// Runs under the dispatcher's lock, where registering would deadlock: it only takes notes.
class LateOps final : public c10::OpRegistrationListener {
 public:
  void onOperatorRegistered(const c10::OperatorHandle& op) override {
    Registrations& state = registrations();
    if (isWatched(state, op.operator_name().name)) {
      const std::lock_guard<std::mutex> lock(state.queue_mutex);
      state.queue.push_back(op.operator_name());
      late_ops_queued.store(true, std::memory_order_release);
    }
  }
  void onOperatorDeregistered(const c10::OperatorHandle&) override {}
};

} // namespace

void startKernels(const std::vector<std::string>& extra_patterns) {
  Registrations& state = registrations();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.patterns = extra_patterns;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    registerOpSafely(state, name);
  }
  // Adding the listener reports every op that is there already: those are known by now.
  state.listener.emplace(c10::Dispatcher::singleton().addRegistrationListener(std::make_unique<LateOps>()));
}

void stopKernels() {
  Registrations& state = registrations();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.listener.reset();
  state.ops.clear();
}

void registerQueuedOps() {
  Registrations& state = registrations();
  std::vector<c10::OperatorName> names;
  {
    const std::lock_guard<std::mutex> lock(state.queue_mutex);
    names.swap(state.queue);
    late_ops_queued.store(false, std::memory_order_relaxed);
  }
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
