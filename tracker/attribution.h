// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "report/not_seen.h"
#include "report/vocabulary.h"
#include "tracker/thread_state.h"

namespace commtap {

struct Origin {
  uint32_t module = kGlobalModule;    ///< for whom the collective is made
  uint32_t issued_in = kGlobalModule; ///< inside whom it was called
  Phase phase = Phase::kOther;
  std::optional<NotSeen> missed; ///< why the modules may be others
};

/// Inside `scope`, if there is one, and in no backward.
inline Origin originInScope(const Scope* scope) {
  if (scope == nullptr) {
    return {};
  }
  if (scope->type == Scope::Type::kOptimizerStep) {
    return {scope->module, scope->module, Phase::kOptimizer, {}};
  }
  return {scope->module, scope->module, scope->in_backward ? Phase::kRecompute : Phase::kForward, {}};
}

/// What needs a search: the module of a node that autograd runs, the unit that a sharding library works for.
Origin originInBackwardOrUnit(ThreadState& thread, bool in_engine, const void* input_storage);

/// Where this thread is right now. `input_storage`: the memory of the first tensor that a collective sends, if it is
/// known; it tells whose parameters FSDP1 gathers.
inline Origin currentOrigin(ThreadState& thread, const void* input_storage) {
  const Scope* top = thread.top();
  const bool in_engine = thread.torch.inBackward() && (top == nullptr || !top->in_backward);
  return in_engine || !thread.unit_labels.empty() ? originInBackwardOrUnit(thread, in_engine, input_storage)
                                                  : originInScope(top);
}

} // namespace commtap
