// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/scopes.h"

#include "tracker/module_registry.h"
#include "tracker/recorder.h"
#include "tracker/registration.h"
#include "tracker/steps.h"
#include "tracker/thread_state.h"
#include "tracker/torch_compat.h"

namespace commtap {

uint32_t beginCall(ThreadState& thread, Scope::Type type, uint32_t module) {
  const bool in_backward = compat::inBackward();
  if (thread.depth() == 0 && !in_backward) {
    Steps::forwardBegins();
  }
  const uint32_t depth = thread.enter({type, in_backward, module});
  thread.timeline->note(compat::nextSequenceNumber(), module);
  Recorder::get().ledger().countModuleCall(module, in_backward ? Phase::kRecompute : Phase::kForward);
  return depth;
}

void endCall(ThreadState& thread, uint32_t depth) {
  thread.leave(depth);
  thread.timeline->note(compat::nextSequenceNumber(), thread.currentModule());
}

void pushScope(std::string_view name) {
  ThreadState* thread = ThreadState::current();
  if (thread == nullptr) {
    return;
  }
  registerLateOps();
  const uint32_t module = ModuleRegistry::get().scope(thread->currentModule(), name);
  thread->open_scopes.push_back(beginCall(*thread, Scope::Type::kNamed, module));
}

bool popScope() {
  ThreadState* thread = ThreadState::current();
  if (thread == nullptr) {
    return false;
  }
  // Those whose module call has ended, by return or exception, have ended with it.
  while (!thread->open_scopes.empty() && !thread->isNamed(thread->open_scopes.back())) {
    thread->open_scopes.pop_back();
  }
  if (thread->open_scopes.empty() || thread->open_scopes.back() + 1 != thread->depth()) {
    return false;
  }
  endCall(*thread, thread->open_scopes.back());
  thread->open_scopes.pop_back();
  return true;
}

} // namespace commtap
