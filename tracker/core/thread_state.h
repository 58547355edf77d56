// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_row_order.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/nccl_sites.h"
#include "tracker/core/timeline.h"
#include "tracker/core/torch_compat.h"

namespace commtap {

/// One level of a thread's nesting: a module call, an optimizer step or a scope that the job has named.
struct Scope {
  enum class Type : uint8_t { kModule, kOptimizerStep, kNamed };
  Type type;
  bool in_backward; ///< entered while the autograd engine ran on this thread
  uint32_t module;  ///< the module, or the module around the optimizer step
};

/// A module call or scope that has begun and not ended. Holds copies of values that may change, and of values that are
/// cold in the cache when the call ends.
struct OpenCall {
  compat::ThreadVariables torch; ///< of the calling thread
  uint32_t depth;                ///< argument of ThreadState::leave()
  uint32_t around;               ///< the module that made the call

  /// Returns true if the call is neither the outermost nor beyond kMaxDepth.
  bool isInside() const;
};

/// A record_function label of a sharding library around the work of one of its units.
struct UnitLabel {
  enum class Library : uint8_t { kFsdp1, kFsdp2 };
  const void* object; ///< what has the label
  Library made_by;
  bool prefetch;    ///< the work is for a unit other than the running one
  std::string unit; ///< FSDP2: the unit's name below the FSDP root, "" for the root itself; FSDP1 names none
};

/// A record_function label of torch.optim around an optimizer's step.
struct OptimizerStep {
  const void* object; ///< what has the label
  uint32_t depth;     ///< argument of ThreadState::leave()
};

struct DeviceSpan;

/// The outermost collective op running on a thread.
struct OpFrame {
  LedgerCollective* row = nullptr;
  StringId op = 0;
  LedgerLast* last = nullptr;
  uint64_t number = 0;       ///< of `last`; another call may have taken `last` when this call returns
  uint64_t bytes = 0;        ///< payload
  uint64_t issued_at_ns = 0; ///< steady clock
  bool has_work = false;     ///< the call has made a backend's Work that can be timed
  bool returned = false;     ///< the call returned without an exception
  bool captured = false;     ///< captured in a CUDA graph: runs at each launch of the graph, not now
  bool is_timed = false;     ///< chosen to be timed on the device
  bool has_span = false;     ///< a device span times the call
};

struct GroupRef {
  uint32_t index = kNoIndex; ///< in the ledger
  uint32_t size = 0;         ///< ranks
};

/// The tracker's state of one thread. Only that thread writes it.
class alignas(64) ThreadState {
 public:
  static constexpr uint32_t kMaxDepth = 200;

  /// Returns this thread's state, made at first use; nullptr if there is no memory.
  static ThreadState* current() {
    ThreadState* state = tls_state_;
    return state != nullptr ? state : create();
  }

  /// Returns this thread's state; nullptr if there is none yet.
  static ThreadState* ifKnown() {
    return tls_state_;
  }

  /// Enters `scope`. Returns the depth to pass to leave().
  uint32_t enter(Scope scope) {
    const uint32_t depth = depth_;
    enterAt(depth, scope);
    return depth;
  }
  /// Enters `scope` at `depth`, which must be depth().
  void enterAt(uint32_t depth, Scope scope) {
    if (depth < kMaxDepth) {
      scopes_[depth] = scope;
    } else {
      countTooDeep();
    }
    depth_ = depth + 1;
  }
  /// Ends the scope at `depth` and any scope inside it that an exception or a switched stack left open.
  void leave(uint32_t depth) {
    depth_ = depth;
  }
  const Scope* top() const {
    return depth_ == 0 ? nullptr : &scopes_[(depth_ < kMaxDepth ? depth_ : kMaxDepth) - 1];
  }
  uint32_t depth() const {
    return depth_;
  }
  /// Returns the record of a call that begins now.
  OpenCall openCall() const {
    return {torch, depth_, currentModule()};
  }
  /// Returns true if the scope at `depth` is one that the job has named and that has not ended.
  bool isNamed(uint32_t depth) const {
    return depth < depth_ && depth < kMaxDepth && scopes_[depth].type == Scope::Type::kNamed;
  }
  uint32_t currentModule() const {
    const Scope* scope = top();
    return scope == nullptr ? kGlobalModule : scope->module;
  }

  // Members are in order of use: the hot ones share the first cache line.
  OpFrame* frame = nullptr; ///< set while a collective op runs
  TimelineWriter timeline;
  compat::ThreadVariables torch;
  CostSample::Tick module_calls_tick; ///< of CostPart::kModuleCalls

 private:
  uint32_t depth_ = 0; ///< may exceed kMaxDepth; deeper scopes are not stored
  std::array<Scope, kMaxDepth> scopes_;

 public:
  CostSample::Tick collectives_tick;             ///< of CostPart::kCollectives
  uint32_t last_backward_module = kGlobalModule; ///< for callbacks at the end of a backward, which have no node
  Timelines::Sought last_sought_node;            ///< last lookup by a collective in a backward
  std::vector<UnitLabel> unit_labels;
  const void* last_group_key = nullptr;
  GroupRef last_group;
  LedgerRowPlace row_place;
  std::string last_group_name;
  std::vector<OptimizerStep> optimizer_steps;
  std::vector<OpenCall> open_scopes;     ///< named ones
  uint32_t nccl_groups_open = 0;         ///< ncclGroupStart without its ncclGroupEnd
  std::vector<DeviceSpan*> device_spans; ///< of the open group of NCCL calls; owned by DeviceTiming
  NcclSites nccl_sites;

 private:
  // initial-exec: takes one pointer of the static TLS surplus that the loader keeps for libraries loaded by dlopen().
  // The dynamic TLS model would cost a call into the loader on every module call.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit ThreadState* tls_state_;

  static ThreadState* create();
  static void destroy(void* state);
  static void countTooDeep();

  explicit ThreadState(Timeline& written) : timeline(written) {}
};

inline bool OpenCall::isInside() const {
  return depth > 0 && depth < ThreadState::kMaxDepth;
}

} // namespace commtap
