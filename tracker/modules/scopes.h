// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/core/thread_state.h"
#include "tracker/torch/compat.h"

namespace commtap {

/// Begins a module call, or a scope that the job names, on this thread. `call` comes from thread.openCall(); pass it to
/// endCall() too.
inline void beginCall(ThreadState& thread, const OpenCall& call, Scope::Type type, uint32_t module) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  const bool in_backward = compat::inBackward();
  if (call.is_outermost && !in_backward) [[unlikely]] {
    Steps::forwardBegins(ledger);
  }
  ledger.countModuleCall(module, in_backward ? Phase::kRecompute : Phase::kForward);
  thread.enterAt(call.depth, {type, in_backward, module});
  thread.timeline.note(compat::nextSequenceNumber(), module);
}

inline void endCall(ThreadState& thread, const OpenCall& call) {
  thread.leave(call.depth);
  thread.timeline.note(compat::nextSequenceNumber(), call.around);
}

/// Enters a scope on this thread: a module `name` below the current one, for code without a torch.nn.Module. Each name
/// below a parent is one module, however often it is entered.
void pushScope(std::string_view name);

/// Leaves the scope that this thread entered last. Returns false if there is none, or if a module call inside it has
/// not returned.
bool popScope();

} // namespace commtap
