// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "report/ledger/ledger_format.h"
#include "report/model/durations.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/timeline.h"
#include "tracker/torch/compat.h"

namespace commtap {

/// An open scope of a thread: a module call, a scope that the job has named, the constructor of a module that
/// communicates, or an optimizer step. Scopes nest.
struct Scope {
  enum class Type : uint8_t { kModule, kNamed, kSetUp, kOptimizerStep, kOptimizerStepWithClosure };
  Type type;
  bool in_backward; ///< entered while the autograd engine ran on this thread
  uint32_t module;  ///< the module, or the module around the optimizer step

  bool isCall() const {
    return type <= Type::kNamed;
  }
  /// Returns true for an optimizer's step outside of every call: what its closure calls is outermost.
  bool isOutsideCalls() const {
    return !isCall() && module == kGlobalModule;
  }
};

/// A module call or named scope that has not ended. Keeps `around` because a switched stack may replace scopes below
/// it.
struct OpenCall {
  uint32_t depth;    ///< to hand to ThreadState::leave()
  uint32_t around;   ///< the module around it
  bool is_outermost; ///< no other call is around it
};

/// A library's record_function label around the work for one of its units.
struct UnitLabel {
  enum class Library : uint8_t { kFsdp1, kFsdp2, kPipeline };
  static constexpr uint32_t kUnknownModule = 0xffffffffU;
  const void* object; ///< what has the label
  Library made_by;
  bool prefetch;               ///< the work is for another unit than the running one
  std::string unit;            ///< FSDP2: the unit's name below the FSDP root, "" for the root itself; FSDP1 names none
  Phase phase = Phase::kOther; ///< of the work; kOther if the label does not say
  uint32_t module = kUnknownModule; ///< the unit or stage, or a prefetch's caller, if Python's frames say it
  uint32_t depth = 0;               ///< of the scopes when the label began
  bool communicates = false;        ///< FSDP2 makes its collectives directly under this label
};

/// A record_function label of torch.optim around an optimizer's step.
struct OptimizerStep {
  const void* object;                   ///< what has the label
  uint32_t depth;                       ///< to hand to leave()
  std::string text;                     ///< "Adam.step"
  std::optional<int64_t> last_backward; ///< Steps::lastBackward() as it began, if it was given a closure
  StringId id = 0;                      ///< LedgerWriter::labelId(text), once it is needed
};

/// A record_function label of the job itself.
struct UserLabel {
  const void* object; ///< what has the label
  std::string text;
  StringId id = 0; ///< LedgerWriter::labelId(text), once it is needed
};

struct DeviceSpan;
struct BroadcastBuffers;
class StageTensors;
class StepGradients;

/// The outermost collective op that runs on a thread.
struct OpFrame {
  LedgerCollective* row = nullptr;
  StringId op = 0;
  LedgerLast* last = nullptr;
  uint64_t number = 0;       ///< of `last`: a later collective may have replaced the entry when this call returns
  uint64_t bytes = 0;        ///< payload
  uint64_t issued_at_ns = 0; ///< steady clock
  bool has_work = false;     ///< the call has made a Work of a backend that can be timed
  bool returned = false;     ///< without an exception
  bool captured = false;     ///< in a CUDA graph: runs when the graph is launched, not now
  bool is_timed = false;     ///< selected for timing on the device
  bool has_span = false;     ///< is being timed on the device
  bool in_range = false;     ///< an NVTX range is open for the call
  bool learns_group =
      false; ///< the group is known by a library's name only: a c10d collective beneath shows which it is
};

struct GroupRef {
  uint32_t index = kNoIndex; ///< in the ledger
  uint32_t size = 0;         ///< ranks
};

/// The state of one thread. Only that thread uses it.
class ThreadState {
 public:
  static constexpr uint32_t kMaxDepth = 200;

  /// Returns this thread's state, added at first use; nullptr if there is no memory.
  static ThreadState* current() {
    ThreadState* state = tls_state_;
    return state != nullptr ? state : create();
  }

  /// Like current(), but returns nullptr for a thread without a state instead of adding one.
  static ThreadState* ifKnown() {
    return tls_state_;
  }

  /// Enters a scope. Returns the depth to pass to leave().
  uint32_t enter(Scope scope) {
    const uint32_t depth = depth_;
    enterAt(depth, scope);
    return depth;
  }
  /// Enters a scope at `depth`, which is depth().
  void enterAt(uint32_t depth, Scope scope) {
    if (depth < kMaxDepth) {
      scopes_[depth] = scope;
    } else {
      countTooDeep();
    }
    depth_ = depth + 1;
  }
  /// Leaves the scope at `depth`, and those inside it that an exception or a switched stack left open.
  void leave(uint32_t depth) {
    depth_ = depth;
  }
  const Scope* top() const {
    return depth_ == 0 ? nullptr : &scopes_[(depth_ < kMaxDepth ? depth_ : kMaxDepth) - 1];
  }
  uint32_t depth() const {
    return depth_;
  }
  /// Returns the position of a call that begins now.
  OpenCall openCall() const {
    const Scope* scope = top();
    return {depth_, currentModule(), scope == nullptr || scope->isOutsideCalls()};
  }
  /// Returns true if an open scope at this depth is one that the job has named.
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
  uint32_t last_backward_module = kGlobalModule; ///< for callbacks at the end of a backward, which run without a node
  std::vector<UnitLabel> unit_labels;
  std::vector<UserLabel> user_labels;
  /// Returns the innermost open label unless a module call has begun inside it: that call's work is the module's own.
  const UnitLabel* unitLabel() const {
    return unit_labels.empty() || unit_labels.back().depth < depth_ ? nullptr : &unit_labels.back();
  }
  const void* last_group_key = nullptr;
  uint32_t last_group_generation = 0; ///< of the groups that Python made
  GroupRef last_group;
  std::string last_group_name;
  GroupRef last_library_group; ///< empty: not known yet
  std::string last_library_name;
  int64_t last_backward = -1; ///< compat::graphTask() when last_backward_module was noted
  std::vector<OptimizerStep> optimizer_steps;
  std::vector<OpenCall> open_scopes;             ///< named ones
  std::shared_ptr<StageTensors> stage_tensors;   ///< null until an outermost module call or a message needs it
  std::shared_ptr<StepGradients> step_gradients; ///< null until a step of an optimizer sends memory of no parameter
  std::shared_ptr<BroadcastBuffers> broadcast_buffers; ///< null until a DDP module broadcasts in a forward
  uint32_t nccl_groups_open = 0;                       ///< ncclGroupStart without its ncclGroupEnd
  std::vector<DeviceSpan*> device_spans;               ///< of the open group of NCCL calls; used by DeviceTiming
  const void* computing_stream = nullptr;              ///< under which a module was called last; used by StreamOrder

 private:
  // initial-exec takes one pointer of the surplus that the loader keeps for libraries loaded by dlopen(). The general
  // model would call into the loader on every module call.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit ThreadState* tls_state_;

  static ThreadState* create();
  static void destroy(void* state);
  static void countTooDeep();

  explicit ThreadState(Timeline& written) : timeline(written) {}

  uint32_t depth_ = 0; ///< may exceed kMaxDepth; scopes beyond are not kept
  std::array<Scope, kMaxDepth> scopes_;
};

/// Returns whether the collectives of the running step are timed: those of every n-th step are, so that the times of a
/// step are whole.
bool isStepTimed(uint32_t every);

/// Adds a duration to the row of `call`. A kRunning duration also adds the call's payload.
void countDuration(const OpFrame& call, DurationKind kind, uint64_t ns);

/// A place at which a thread or stream stands still because a collective has not completed.
struct Stalled {
  uint32_t module = kGlobalModule; ///< the one that runs there
  Phase phase = Phase::kOther;
};

/// Adds a time in which the job stood still to the row of `call` (DurationKind::kExposed) and to the place.
void countExposed(const OpFrame& call, const Stalled& where, uint64_t ns);

/// Notes that `call` has completed. `completed_at_ns` is steady clock time; 0 if unknown.
void noteCompleted(const OpFrame& call, bool succeeded, uint64_t completed_at_ns);

/// Notes that the backend has begun to work on `call`. `started_at_ns` is steady clock time.
void noteStarted(const OpFrame& call, uint64_t started_at_ns);

} // namespace commtap
