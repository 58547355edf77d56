// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/op_watch.h"

#include <memory>
#include <mutex>

#include <ATen/record_function.h>

#include "report/vocabulary.h"
#include "tracker/attribution.h"
#include "tracker/lasting_text.h"
#include "tracker/thread_state.h"

namespace commtap {
namespace {

/// Held by every call that is under way, so that it never uses the context of a callback that was taken out.
struct OpCallback {
  commtap_op_callback function;
  void* context;
};

struct State {
  std::mutex mutex;
  at::CallbackHandle handle = 0;
  std::atomic<const OpCallback*> callback{nullptr};
};

State& state() {
  static auto* instance = new State(); // leaked: threads run ops until the process is gone
  return *instance;
}

[[gnu::tls_model("initial-exec")]] thread_local bool tls_in_callback = false;

std::unique_ptr<at::ObserverContext> onOp(const at::RecordFunction& function) {
  const OpCallback* callback = state().callback.load(std::memory_order_acquire);
  ThreadState* thread = callback == nullptr || tls_in_callback ? nullptr : ThreadState::current();
  if (thread == nullptr) {
    return nullptr;
  }
  tls_in_callback = true; // an op that the callback itself runs is none of the job's
  const Origin origin = currentOrigin(*thread, nullptr);
  const commtap_op op{function.name(), origin.issued_in, lastingText(phaseName(origin.phase))};
  callback->function(&op, callback->context);
  tls_in_callback = false;
  return nullptr;
}

} // namespace

void setOpCallback(commtap_op_callback function, void* context) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (state().handle != 0) {
    at::removeCallback(state().handle);
    state().handle = 0;
  }
  // The one before is left to calls that may still run it: a few bytes for each change.
  state().callback.store(function == nullptr ? nullptr : new OpCallback{function, context}, std::memory_order_release);
  if (function != nullptr) {
    state().handle = at::addGlobalCallback(at::RecordFunctionCallback(onOp).scopes({at::RecordScope::FUNCTION}));
  }
}

} // namespace commtap
