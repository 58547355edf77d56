// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/scopes.h"

#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/registration.h"

namespace commtap {

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
