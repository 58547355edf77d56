// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "report/model/not_seen.h"
#include "report/model/vocabulary.h"
#include "tracker/attribution/stage_tensors.h"
#include "tracker/core/python_host.h"
#include "tracker/core/thread_state.h"

namespace commtap {

struct Origin {
  uint32_t module = kGlobalModule;    ///< attributed module
  uint32_t issued_in = kGlobalModule; ///< issuing module
  Phase phase = Phase::kOther;
  NotSeen missed = kNothing; ///< why the attribution may be wrong
  bool is_gradient = false;  ///< what a reduction sums up is gradients of parameters

  static constexpr NotSeen kNothing{0xff};
};

/// Returns the phase of a call inside a constructor or an optimizer's step, and outside of what they call.
Phase phaseOutsideCalls(const Scope& scope);

/// Sets the origin of a call inside `scope` and outside a backward. Does nothing if `scope` is null.
inline void setOriginInScope(Origin& origin, const Scope* scope) {
  if (scope == nullptr) {
    return;
  }
  origin.module = scope->module;
  origin.issued_in = scope->module;
  origin.phase = scope->in_backward ? Phase::kRecompute : Phase::kForward;
  if (!scope->isCall()) {
    origin.phase = phaseOutsideCalls(*scope);
  }
}

/// A module's part of a call that is for several modules.
struct ModulePart {
  uint32_t module = kGlobalModule; ///< Global for what belongs to no module
  uint64_t size = 0;               ///< in a unit that all parts share
  uint64_t changes = 0;            ///< 1 if it is a buffer that may have changed
};
using ModuleParts = std::vector<ModulePart>;

/// The tensors of a call with a list of them, and what the attribution finds out about these.
struct ListedTensors {
  struct One {
    const at::Tensor* tensor = nullptr;
    const at::Tensor* other = nullptr; ///< that it is made of, or made into, if the call has one for each
    uint64_t bytes = 0;                ///< of the payload
  };
  std::vector<One> tensors{}; ///< that the call reads or writes
  int64_t sent = 0;           ///< elements of those that this rank sends
  ModuleParts parts{};        ///< of the payload; empty if no module owns any of it
};

/// The facts of a collective that can identify its module where no scope does.
struct CallFacts {
  const at::Tensor* tensor = nullptr;   ///< the first that this rank sends, or receives if it sends none
  const at::Tensor* received = nullptr; ///< the first that this rank receives, if the op has another argument for it
  ListedTensors* listed = nullptr;      ///< null unless the call has several tensors
  Kind kind = Kind::kOther;
  bool reads_frames = false;              ///< Python's frames are read if nothing else shows the origin
  uint64_t peer = StageTensors::kAnyPeer; ///< of a send or receive: the other rank and the group
};

/// Slow path of currentOrigin(): outside of module calls, in a backward, or in a library's work for one of its units.
Origin originElsewhere(ThreadState& thread, bool in_engine, const CallFacts& facts);

/// Returns whether autograd's engine issues what this thread does, and not a module that it calls.
inline bool inEngine(const ThreadState& thread) {
  const Scope* top = thread.top();
  return compat::inBackward() && (top == nullptr || !top->in_backward);
}

/// Returns the module that runs on this thread, and its phase, for a wait. Changes nothing and reads no Python frames:
/// a thread may wait without the GIL. `thread` is this thread's; Global if it is null.
Stalled stalledNow(const ThreadState* thread);

/// Returns this thread's current origin. `facts` returns the CallFacts of the collective that asks; it is called only
/// if they are needed.
template <typename Facts>
Origin currentOrigin(ThreadState& thread, const Facts& facts) {
  const Scope* top = thread.top();
  const bool in_engine = inEngine(thread);
  const bool in_module = top != nullptr && top->isCall();
  Origin origin;
  if (in_engine || !in_module || !thread.unit_labels.empty()) [[unlikely]] {
    origin = originElsewhere(thread, in_engine, facts());
  } else {
    setOriginInScope(origin, top);
  }
  return origin;
}

/// Sets the origin of what torch does for a DDP module outside of the module's calls and of autograd: that module, if
/// the job has one alone, in no module's call.
void setOriginForDdp(CommtapDdpWork work, Origin& origin);

/// Returns this thread's current origin for what is not a collective.
inline Origin currentOrigin(ThreadState& thread) {
  return currentOrigin(thread, [] { return CallFacts(); });
}

} // namespace commtap
