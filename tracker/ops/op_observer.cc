// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/ops/op_observer.h"

#include <ATen/record_function.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "report/model/vocabulary.h"
#include "tracker/attribution/attribution.h"
#include "tracker/collectives/op_table.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/launch_environment.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/thread_state.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

/// The job's callback with its own context: a running call never pairs one callback with the context of another.
struct OpCallback {
  commtap_op_callback function;
  void* context;
};

struct ObserverState {
  std::mutex mutex;
  at::CallbackHandle handle = 0;
  std::atomic<const OpCallback*> callback{nullptr};
  std::atomic<Level> level{Level::kCollectives};
};

ObserverState& observerState() {
  static auto* instance = new ObserverState(); // leaked on purpose: threads run ops until the process exits
  return *instance;
}

[[gnu::tls_model("initial-exec")]] thread_local bool tls_in_observer = false;

/// Marks the thread as inside the observer. Ops that counting or the job's callback runs are not the job's ops.
class ObserverGuard {
 public:
  ObserverGuard() {
    tls_in_observer = true;
  }
  ObserverGuard(const ObserverGuard&) = delete;
  ObserverGuard& operator=(const ObserverGuard&) = delete;
  ~ObserverGuard() {
    tls_in_observer = false;
  }
};

void observe(const at::RecordFunction& function, ThreadState& thread) {
  const ObserverGuard guard;
  const CostSample sample;
  const Origin origin = currentOrigin(thread);
  if (const Level level = observerState().level.load(std::memory_order_relaxed); level != Level::kCollectives) {
    countOperation(function, origin, level);
  }
  if (const OpCallback* callback = observerState().callback.load(std::memory_order_acquire)) {
    const commtap_op op{function.name(), origin.issued_in, lastingText(phaseName(origin.phase))};
    callback->function(&op, callback->context);
  }
}

std::unique_ptr<at::ObserverContext> onOp(const at::RecordFunction& function) {
  ThreadState* thread = tls_in_observer ? nullptr : ThreadState::current();
  if (thread == nullptr) {
    return nullptr;
  }
  try {
    observe(function, *thread);
  } catch (...) { // torch would print a warning
    ProcessLedger::internalError(function.name());
  }
  return nullptr;
}

/// Installs the observer if ops are counted or a callback is set; otherwise removes it.
void update(ObserverState& state, const std::lock_guard<std::mutex>& /*lock*/) {
  if (state.handle != 0) {
    at::removeCallback(state.handle);
    state.handle = 0;
  }
  const bool counts = state.level.load() != Level::kCollectives;
  if (counts || state.callback.load() != nullptr) {
    state.handle =
        at::addGlobalCallback(at::RecordFunctionCallback(onOp).needsInputs(counts).scopes({at::RecordScope::FUNCTION}));
  }
}

} // namespace

void setOpCallback(commtap_op_callback function, void* context) {
  const std::lock_guard<std::mutex> lock(observerState().mutex);
  // Leaked on purpose: a running call may still use the previous callback. Each change leaks a few bytes.
  observerState().callback.store(
      function == nullptr ? nullptr : new OpCallback{function, context}, std::memory_order_release);
  update(observerState(), lock);
}

void setOpLevel(Level level) {
  const std::lock_guard<std::mutex> lock(observerState().mutex);
  observerState().level.store(level);
  update(observerState(), lock);
}

ForkLock opWatchForkLock() {
  return {&observerState().mutex, [] {}, "callback for ops at a fork"};
}

namespace {

CommtapTensorClass classOf(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return kCommtapPlainTensor;
  }
  if (tensor.is_meta()) {
    return kCommtapTracedTensor;
  }
  void* object = compat::pythonObject(tensor);
  return object == nullptr ? kCommtapPlainTensor : classOfPythonTensor(object);
}

/// Returns a tensor's class; for a list, the class of its first tensor that is not plain.
CommtapTensorClass classOf(const c10::IValue& value) {
  if (value.isTensor()) {
    return classOf(value.toTensor());
  }
  if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) {
      if (const CommtapTensorClass found = classOf(tensor); found != kCommtapPlainTensor) {
        return found;
      }
    }
  }
  return kCommtapPlainTensor;
}

/// Returns whether an argument is a DTensor; nullopt for a traced op.
std::optional<bool> hasDtensor(c10::ArrayRef<const c10::IValue> arguments) {
  bool dtensor = false;
  for (const c10::IValue& argument : arguments) {
    const CommtapTensorClass found = classOf(argument);
    if (found == kCommtapTracedTensor) {
      return std::nullopt;
    }
    dtensor = dtensor || found == kCommtapDtensor;
  }
  return dtensor;
}

} // namespace

void countOperation(const at::RecordFunction& function, const Origin& origin, Level level) {
  const std::optional<c10::OperatorName> op = function.operator_name();
  if (!op || compat::isTracing()) {
    return;
  }
  const std::optional<bool> dtensor = hasDtensor(function.inputs());
  if (!dtensor || (level == Level::kDtensor && !*dtensor)) {
    return;
  }
  LedgerWriter& ledger = ProcessLedger::ledger();
  const StringId name = ledger.intern(dottedName(op->name));
  LedgerOperation* row =
      ledger.row(OperationKey{origin.issued_in, name, origin.phase, static_cast<uint8_t>(*dtensor ? 1 : 0), {}});
  if (row != nullptr) {
    row->count.fetch_add(1, std::memory_order_relaxed);
  }
}

} // namespace commtap
