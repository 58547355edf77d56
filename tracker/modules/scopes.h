// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/core/thread_state.h"
#include "tracker/core/torch_compat.h"

namespace commtap {

/// A call of a module, or a scope that the job names, begins on this thread. `call`: of thread.openCall(), to be handed
/// to endCall too.
inline void beginCall(ThreadState& thread, const OpenCall& call, Scope::Type type, uint32_t module) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  const bool in_backward = compat::inBackward();
  if (call.depth == 0 && !in_backward) [[unlikely]] {
    Steps::forwardBegins(ledger);
  }
  // Before the notes: an addition that other threads may make too waits until all that was written before it is.
  ledger.countModuleCall(module, in_backward ? Phase::kRecompute : Phase::kForward);
  thread.enterAt(call.depth, {type, in_backward, module});
  thread.timeline.note(compat::nextSequenceNumber(), module);
}

inline void endCall(ThreadState& thread, const OpenCall& call) {
  thread.leave(call.depth);
  thread.timeline.note(compat::nextSequenceNumber(), call.around);
}

/// This thread goes into a scope that is named here: a module `name` below the current one, for code that has no
/// torch.nn.Module. One name below one parent is one module, however often it is gone into.
void pushScope(std::string_view name);

/// Leaves the scope that this thread went into last. False if there is none, or if a module call that began inside it
/// has not ended.
bool popScope();

} // namespace commtap
