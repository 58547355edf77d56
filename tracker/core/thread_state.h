// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "report/ledger/ledger_format.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/timeline.h"
#include "tracker/core/torch_compat.h"

namespace commtap {

/// What a thread is inside of: module calls, optimizer steps and scopes that the job has named, as they nest.
struct Scope {
  enum class Type : uint8_t { kModule, kOptimizerStep, kNamed };
  Type type;
  bool in_backward; ///< entered while the autograd engine ran on this thread
  uint32_t module;  ///< the module, or the module around the optimizer step
};

/// A call of a module or a scope that has begun and not ended. Copies of what may change and of what a call's end would
/// have to wait for: the caches hold other things by then.
struct OpenCall {
  uint32_t depth;  ///< to hand to ThreadState::leave()
  uint32_t around; ///< the module that it was called in
};

/// A record_function label of a sharding library around the work of one of its units.
struct UnitLabel {
  enum class Library : uint8_t { kFsdp1, kFsdp2 };
  const void* object; ///< what has the label
  Library made_by;
  bool prefetch;    ///< the work is for another unit than the one that runs
  std::string unit; ///< FSDP2: the unit's name below the FSDP root, "" for the root itself; FSDP1 names none
};

/// A record_function label of torch.optim around an optimizer's step.
struct OptimizerStep {
  const void* object; ///< what has the label
  uint32_t depth;     ///< to hand to leave()
};

struct DeviceSpan;

/// The outermost collective op that runs on a thread.
struct OpFrame {
  LedgerCollective* row = nullptr;
  StringId op = 0;
  LedgerLast* last = nullptr;
  uint64_t number = 0;       ///< of `last`, which may be another's by the time that this call returns
  uint64_t bytes = 0;        ///< payload
  uint64_t issued_at_ns = 0; ///< steady clock
  bool has_work = false;     ///< a work of a backend that can be timed has been seen to come of it
  bool returned = false;     ///< without an exception
  bool captured = false;     ///< in a CUDA graph: it does not run now, but when the graph is launched
  bool is_timed = false;     ///< chosen to be timed on the device
  bool has_span = false;     ///< it is timed there
};

struct GroupRef {
  uint32_t index = kNoIndex; ///< in the ledger
  uint32_t size = 0;         ///< ranks
};

/// Everything that is known of one thread. Written by that thread alone.
class ThreadState {
 public:
  static constexpr uint32_t kMaxDepth = 200;

  /// nullptr only without memory.
  static ThreadState* current() {
    ThreadState* state = tls_state_;
    return state != nullptr ? state : create();
  }

  /// Like current(), but returns nullptr for a thread without a state instead of adding one.
  static ThreadState* ifKnown() {
    return tls_state_;
  }

  /// The depth to hand to leave().
  uint32_t enter(Scope scope) {
    const uint32_t depth = depth_;
    enterAt(depth, scope);
    return depth;
  }
  /// Likewise, for who has asked for depth() already.
  void enterAt(uint32_t depth, Scope scope) {
    if (depth < kMaxDepth) {
      scopes_[depth] = scope;
    } else {
      countTooDeep();
    }
    depth_ = depth + 1;
  }
  /// Ends the scope at `depth` and, if an exception or a switched stack left any behind, those inside it.
  void leave(uint32_t depth) {
    depth_ = depth;
  }
  const Scope* top() const {
    return depth_ == 0 ? nullptr : &scopes_[(depth_ < kMaxDepth ? depth_ : kMaxDepth) - 1];
  }
  uint32_t depth() const {
    return depth_;
  }
  /// For a call that begins now.
  OpenCall openCall() const {
    return {depth_, currentModule()};
  }
  /// True for the depth of a scope that the job has named and that has not ended.
  bool isNamed(uint32_t depth) const {
    return depth < depth_ && depth < kMaxDepth && scopes_[depth].type == Scope::Type::kNamed;
  }
  uint32_t currentModule() const {
    const Scope* scope = top();
    return scope == nullptr ? kGlobalModule : scope->module;
  }

  OpFrame* frame = nullptr; ///< set while a collective op runs
  TimelineWriter timeline;
  CostSample::Tick module_calls_tick;            ///< of CostPart::kModuleCalls
  CostSample::Tick collectives_tick;             ///< of CostPart::kCollectives
  uint32_t last_backward_module = kGlobalModule; ///< for callbacks at the end of a backward, which have no node
  std::vector<UnitLabel> unit_labels;
  const void* last_group_key = nullptr;
  GroupRef last_group;
  std::string last_group_name;
  std::vector<OptimizerStep> optimizer_steps;
  std::vector<OpenCall> open_scopes;     ///< named ones
  uint32_t nccl_groups_open = 0;         ///< ncclGroupStart without its ncclGroupEnd
  std::vector<DeviceSpan*> device_spans; ///< of the group of NCCL calls that is open; DeviceTiming's

 private:
  // initial-exec: one pointer out of the surplus that the loader keeps for libraries that come late; the general
  // model would cost a call into the loader on every module call.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit ThreadState* tls_state_;

  static ThreadState* create();
  static void destroy(void* state);
  static void countTooDeep();

  explicit ThreadState(Timeline& written) : timeline(written) {}

  uint32_t depth_ = 0; ///< may exceed kMaxDepth; scopes beyond are not kept
  std::array<Scope, kMaxDepth> scopes_;
};

} // namespace commtap
