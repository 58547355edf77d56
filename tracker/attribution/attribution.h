// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/not_seen.h"
#include "report/model/vocabulary.h"
#include "tracker/core/thread_state.h"

namespace commtap {

struct Origin {
  uint32_t module = kGlobalModule;    ///< attributed module
  uint32_t issued_in = kGlobalModule; ///< issuing module
  Phase phase = Phase::kOther;
  NotSeen missed = kNothing; ///< why the attribution may be wrong

  static constexpr NotSeen kNothing{0xff};
};

/// Sets the origin of a call inside `scope` and outside a backward. Does nothing if `scope` is null.
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

/// Slow path of currentOrigin(): searches for the module of the running autograd node or of a sharding library's unit.
Origin originInBackwardOrUnit(ThreadState& thread, bool in_engine, const void* input_storage);

/// Returns this thread's current origin. `input_storage` is the memory of the first tensor that a collective sends, or
/// nullptr; it identifies the module whose parameters FSDP1 gathers.
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
