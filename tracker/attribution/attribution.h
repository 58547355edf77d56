// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/not_seen.h"
#include "report/model/vocabulary.h"
#include "tracker/core/thread_state.h"

namespace commtap {

struct Origin {
  uint32_t module = kGlobalModule;    ///< for whom the collective is made
  uint32_t issued_in = kGlobalModule; ///< inside whom it was called
  Phase phase = Phase::kOther;
  NotSeen missed = kNothing; ///< why the modules may be others

  static constexpr NotSeen kNothing{0xff};
};

/// Inside `scope`, if there is one, and in no backward.
inline void setOriginInScope(Origin& origin, const Scope* scope) {
  if (scope == nullptr) {
    return;
  }
  origin.module = scope->module;
  origin.issued_in = scope->module;
  origin.phase = scope->in_backward ? Phase::kRecompute : Phase::kForward;
  if (scope->type == Scope::Type::kOptimizerStep) {
    origin.phase = Phase::kOptimizer;
  }
}

/// What needs a search: the module of a node that autograd runs, the unit that a sharding library works for.
Origin originInBackwardOrUnit(ThreadState& thread, bool in_engine, const void* input_storage);

/// Where this thread is right now. `input_storage`: the memory of the first tensor that a collective sends, if it is
/// known; it tells whose parameters FSDP1 gathers.
inline Origin currentOrigin(ThreadState& thread, const void* input_storage) {
  const Scope* top = thread.top();
  const bool in_engine = compat::inBackward() && (top == nullptr || !top->in_backward);
  Origin origin;
  if (in_engine || !thread.unit_labels.empty()) [[unlikely]] {
    origin = originInBackwardOrUnit(thread, in_engine, input_storage);
  } else {
    setOriginInScope(origin, top);
  }
  return origin;
}

} // namespace commtap
