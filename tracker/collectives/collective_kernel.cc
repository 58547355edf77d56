// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/collective_kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include "tracker/attribution/attribution.h"
#include "tracker/attribution/broadcast_buffers.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/attribution/stage_tensors.h"
#include "tracker/collectives/collective_observers.h"
#include "tracker/collectives/custom_class.h"
#include "tracker/collectives/groups.h"
#include "tracker/collectives/listed_tensors.h"
#include "tracker/collectives/nvtx_ranges.h"
#include "tracker/collectives/payload.h"
#include "tracker/compiled/compiled_code.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/clock.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/gloo/gloo_timing.h"
#include "tracker/torch/compat.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

/// Whether calls on meta tensors count; see countMetaTensors().
std::atomic<bool> meta_tensors_count{false};

/// Returns true for fake, proxy and meta tensors: a compiler traces the op, nothing is communicated.
bool isTracing(c10::DispatchKeySet keys) {
  const bool is_meta = keys.has_backend(c10::BackendComponent::MetaBit);
  return keys.has(c10::DispatchKey::Python) || (is_meta && !meta_tensors_count.load(std::memory_order_relaxed));
}

/// Returns the label of the function of torch that communicates for no module, and gives what it does for a DDP module
/// to that; nullptr if no such function runs.
const char* applyTorchFunction(Origin& origin) {
  const CommtapTorchFunction running = runningTorchFunction();
  if (running.for_ddp != kCommtapNotForDdp) {
    setOriginForDdp(running.for_ddp, origin);
  }
  return running.label;
}

/// Returns whether a call is DDP's own in a forward: a broadcast of buffers, or of the order of its buckets.
bool isBroadcastOfDdp(Kind kind, const Origin& origin) {
  return kind == Kind::kBroadcast && origin.phase == Phase::kForward &&
         ModuleRegistry::get().nearest(origin.module, ModuleRole::kDdp) == origin.module;
}

/// A call of an op that no other collective op makes.
template <typename AnyArgument>
class Call {
 public:
  Call(const OpFacts& facts, ThreadState& thread, const AnyArgument* arguments)
      : facts_(facts), thread_(thread), arguments_(arguments) {}

  /// Counts the call in its row, in the running step and among the last collectives. Returns the facts of a reduction
  /// whose input a sample is to have.
  std::optional<ReductionCall> count(OpFrame& frame) {
    const GroupRef group = this->group(frame);
    payload_ = this->payload(group);
    const uint64_t bytes = payload_.bytes;
    Origin origin = currentOrigin(thread_, [this, group] { return callFacts(group); });
    const CompiledCall compiled = CompiledCode::attribute(inEngine(thread_), origin);
    const bool is_of_ddp = isBroadcastOfDdp(facts_.kind, origin);
    const char* torch_label = is_of_ddp || origin.module == kGlobalModule ? applyTorchFunction(origin) : nullptr;
    if (origin.phase == Phase::kForward) {
      Steps::inForward();
    }
    LedgerWriter& ledger = ProcessLedger::ledger();
    CollectiveKey key{
        .module = origin.module,
        .issued_in = origin.issued_in,
        .op = facts_.name,
        .group = group.index,
        .dtype = dtypeName(payload_.dtype),
        .reduce_op = reduceOpName(),
        .kind = facts_.kind,
        .phase = origin.phase,
        .async_op = asyncOp(),
        .setup = 0,
        .size_class = 0,
        .compiled = 0,
        .label = is_of_ddp && torch_label != nullptr ? ledger.labelId(torch_label)
                 : origin.module == kGlobalModule    ? label(ledger, origin.phase, torch_label)
                                                     : 0,
    };
    key.size_class = sizeClass(bytes) & kSizeClassBits;
    key.compiled = compiled.is_compiled ? 1 : 0;
    key.setup = Steps::isSetup(origin.phase, compiled.is_compiled) ? 1 : 0;
    LedgerCollective* row = ledger.row(key);
    if (compat::inBackward()) {
      Steps::inBackward(compat::graphTask());
    }
    if (row != nullptr) {
      countIn(*row, compiled, group, frame);
    }
    countGaps(ledger, group, origin);
    const uint64_t sequence = nextSequence(ledger, group);
    noteLast(ledger, row, sequence, bytes, frame);
    if (facts_.kind == Kind::kRecv && row != nullptr && thread_.stage_tensors != nullptr) [[unlikely]] {
      thread_.stage_tensors->counted({key, bytes, frame.number});
    }
    if (Sampler::isRecording()) [[unlikely]] {
      return reductionCall(origin, group, sequence, compiled.is_compiled, torch_label != nullptr);
    }
    return std::nullopt;
  }

 private:
  /// Notes the call among the last collectives, and in its frame.
  void noteLast(LedgerWriter& ledger, LedgerCollective* row, uint64_t sequence, uint64_t bytes, OpFrame& frame) const {
    frame.issued_at_ns = steadyNow();
    frame.row = row;
    frame.last = &ledger.noteLast(ledger.numberOf(row), sequence, bytes, peer(), frame.issued_at_ns);
    frame.number = frame.last->number.load(std::memory_order_relaxed);
    frame.bytes = bytes;
  }

  /// Returns the facts of a call that reduces gradients, or may: one outside of modules, steps and torch's functions.
  std::optional<ReductionCall>
  reductionCall(const Origin& origin, GroupRef group, uint64_t sequence, bool is_compiled, bool is_torchs) const {
    const std::string_view reduce_op = ProcessLedger::ledger().text(reduceOpName());
    const bool adds_up = (isReductionForAll(facts_.kind) || facts_.kind == Kind::kReduce) &&
                         (reduce_op == "sum" || reduce_op == "avg" || reduce_op == "premul_sum");
    if (!adds_up || group.size < 2) {
      return std::nullopt;
    }
    const bool is_outside = thread_.top() == nullptr && compat::currentNode() == nullptr;
    if (!origin.is_gradient && is_compiled && origin.phase == Phase::kBackward) {
      Sampler::noteGap(kCompiledReductions);
    }
    if (!origin.is_gradient && (!is_outside || is_compiled || is_torchs || origin.module != kGlobalModule)) {
      return std::nullopt;
    }
    return ReductionCall{
        std::string(ProcessLedger::ledger().groupName(group.index)),
        sequence,
        ModuleRegistry::get().nameOf(origin.module, ModuleName::kClean),
        origin.is_gradient};
  }

  /// Counts the call in its row, and notifies the observers.
  void countIn(LedgerCollective& row, const CompiledCall& compiled, GroupRef group, OpFrame& frame) const {
    const uint64_t bytes = payload_.bytes;
    LedgerWriter& ledger = ProcessLedger::ledger();
    ledger.count(row, {1, bytes});
    if (facts_.splits.form != SplitForm::kNone) {
      countSplits(facts_.splits, arguments_, row, bytes, group.size);
    }
    if (compiled.merged != nullptr) {
      countParts(ledger, row, *compiled.merged, {1, bytes});
    } else if (listed_ != nullptr && !compiled.is_compiled && !listed_->parts.empty()) {
      countParts(ledger, row, listed_->parts, {0, bytes});
    } else if (row.key.module != kGlobalModule && row.key.label != 0) { // DDP's buffers
      countParts(ledger, row, buffersInCall(thread_, row.key.module, payload_.dtype), {0, bytes});
    }
    if (CollectiveObservers::any()) {
      CollectiveObservers::collective(row, bytes);
      frame.in_range = NvtxRanges::push(row.key);
    }
  }

  /// Counts each module's part of a call for several. The parts add up to the payload, `call.bytes`. `call.count`: how
  /// many collectives of each module a compiler merged into the call.
  void countParts(LedgerWriter& ledger, const LedgerCollective& row, const ModuleParts& parts, LedgerAmount call)
      const {
    uint64_t all = 0;
    for (const ModulePart& part : parts) {
      all += part.size;
    }
    if (all == 0 || call.bytes % all != 0) { // else the sizes are not those of the payload
      if (call.count > 0) {
        ledger.notSeen(NotSeen::kMembersUnknown, ledger.text(facts_.name));
      }
      return;
    }
    for (const ModulePart& part : parts) {
      ledger.countMember(row, part.module, {call.count, call.bytes / all * part.size}, part.changes);
    }
  }

  Payload payload(GroupRef group) const {
    Payload found = facts_.payload_argument ? payloadOf(arguments_[*facts_.payload_argument]) : Payload();
    if (facts_.payload == PayloadRule::kArgumentTimesGroup) {
      found.bytes *= group.size != 0 ? group.size : statedRanks();
    } else if (facts_.payload == PayloadRule::kMatrixProduct) {
      found = payloadOfProduct(
          arguments_[*facts_.payload_argument],
          arguments_[*facts_.factor_argument],
          facts_.dtype_argument ? &arguments_[*facts_.dtype_argument] : nullptr);
    }
    return found;
  }

  /// Returns the group's size according to the op; 1 if the op does not state it.
  uint64_t statedRanks() const {
    const int64_t ranks = facts_.ranks_argument ? integerOf(arguments_[*facts_.ranks_argument]) : 1;
    return ranks > 0 ? static_cast<uint64_t>(ranks) : 1;
  }

  GroupRef group(OpFrame& frame) {
    GroupRef found;
    if (facts_.group_argument) {
      const AnyArgument& group = arguments_[*facts_.group_argument];
      if (const c10d::ProcessGroup* process_group = processGroupOf(group)) {
        found = groupOf(*process_group, thread_);
      } else if (const std::string* name = textOf(group)) {
        found = facts_.is_of_library ? libraryGroupNamed(*name, thread_) : groupNamed(*name, thread_);
        frame.learns_group = facts_.is_of_library && found.size == 0;
      }
    }
    if (found.size == 0 || facts_.is_of_library) {
      ProcessLedger::get().processGroupSeen(-1, -1);
    }
    return found;
  }

  CallFacts callFacts(GroupRef group) {
    const std::optional<size_t> argument = facts_.input_argument ? facts_.input_argument : facts_.payload_argument;
    CallFacts call;
    call.tensor = argument ? firstTensor(arguments_[*argument]) : nullptr;
    const bool receives = facts_.input_argument && facts_.payload_argument && *facts_.payload_argument != *argument;
    call.received = receives ? firstTensor(arguments_[*facts_.payload_argument]) : nullptr;
    listed_ = listTensors(facts_, arguments_);
    call.listed = listed_.get();
    call.kind = facts_.kind;
    call.reads_frames = true;
    if (facts_.peer_argument && isPointToPoint(facts_.kind)) {
      call.peer = uint64_t{group.index} << 32U | static_cast<uint32_t>(peer());
    }
    return call;
  }

  StringId reduceOpName() const {
    return facts_.reduce_op_argument ? commtap::reduceOpName(arguments_[*facts_.reduce_op_argument]) : 0;
  }

  AsyncOp asyncOp() const {
    if (facts_.functional) {
      return AsyncOp::kYes;
    }
    if (!facts_.async_argument) {
      return AsyncOp::kUnknown;
    }
    return isTrue(arguments_[*facts_.async_argument]) ? AsyncOp::kYes : AsyncOp::kNo;
  }

  /// Returns what the job does: its innermost record_function, else the function of torch that communicates, else the
  /// step of the optimizer.
  StringId label(LedgerWriter& ledger, Phase phase, const char* torch_label) const {
    if (!thread_.user_labels.empty()) {
      return idOf(thread_.user_labels.back(), ledger);
    }
    if (torch_label != nullptr) {
      return ledger.labelId(torch_label);
    }
    if (facts_.kind == Kind::kBarrier) {
      return ledger.labelId(kindName(Kind::kBarrier));
    }
    const bool is_in_step = phase == Phase::kOptimizer && !thread_.optimizer_steps.empty();
    return is_in_step ? idOf(thread_.optimizer_steps.back(), ledger) : 0;
  }

  template <typename Label>
  static StringId idOf(Label& label, LedgerWriter& ledger) {
    label.id = label.id == 0 ? ledger.labelId(label.text) : label.id;
    return label.id;
  }

  /// Returns the call's number in its group, and adds the call to what ranks compare.
  uint64_t nextSequence(LedgerWriter& ledger, GroupRef group) const {
    if (isPointToPoint(facts_.kind)) {
      return ledger.nextSequence(group.index, true);
    }
    const uint64_t sequence = ledger.nextSequence(group.index, false);
    SequenceCall call;
    if (facts_.sequence_hash != 0) {
      call.what = facts_.sequence_hash;
      call.bytes = hasEqualBytes(facts_.kind) ? payload_.bytes : 0;
      call.dtype = static_cast<uint32_t>(payload_.dtype);
      call.reduce_op = facts_.reduce_op_argument ? reduceOpTag(arguments_[*facts_.reduce_op_argument]) : 0;
      call.root = facts_.peer_argument ? static_cast<uint32_t>(peer()) : 0;
    }
    ledger.addToSequence(group.index, sequence, call);
    return sequence;
  }

  /// Returns the rank in the group of the peer or the root; -1 if there is none.
  int32_t peer() const {
    return facts_.peer_argument ? static_cast<int32_t>(integerOf(arguments_[*facts_.peer_argument])) : -1;
  }

  void countGaps(LedgerWriter& ledger, GroupRef group, const Origin& origin) const {
    if (origin.missed != Origin::kNothing) {
      ledger.notSeen(origin.missed, ledger.text(facts_.name));
    }
    if (!facts_.known) {
      ledger.notSeen(NotSeen::kUnknownOp, ledger.text(facts_.name));
    }
    if (group.size == 0) {
      ledger.notSeen(NotSeen::kUnknownGroup, ledger.text(facts_.name));
    }
  }

  const OpFacts& facts_;
  ThreadState& thread_;
  const AnyArgument* arguments_;
  Payload payload_;
  std::unique_ptr<ListedTensors> listed_;
};

template <typename AnyArgument>
std::optional<ReductionCall>
countCall(const OpFacts& facts, ThreadState& thread, const AnyArgument* arguments, OpFrame& frame) noexcept {
  frame.op = facts.name;
  try {
    return Call(facts, thread, arguments).count(frame);
  } catch (const LayoutDiffers& differs) {
    ProcessLedger::ledger().notSeen(NotSeen::kTorchLayout, differs.what());
  } catch (...) { // no exception may reach the job
    ProcessLedger::internalError(ProcessLedger::ledger().text(facts.name));
  }
  return std::nullopt;
}

/// Hands what this rank puts into a reduction to the sample of the next step.
template <typename AnyArgument>
void sampleInputs(const OpFacts& facts, const AnyArgument* arguments, const ReductionCall& call) {
  const std::optional<size_t> argument = facts.input_argument ? facts.input_argument : facts.payload_argument;
  std::vector<const c10::TensorImpl*> tensors;
  if (argument) {
    forEachTensor(arguments[*argument], [&tensors](const at::Tensor& tensor) {
      if (tensor.defined()) {
        tensors.push_back(tensor.unsafeGetTensorImpl());
      }
      return true;
    });
  }
  Sampler::reductionBegins(call, tensors);
}

void noteLowered(LedgerCollective* row, StringId op) {
  for (std::atomic<StringId>* slot = row->lowered; slot != std::end(row->lowered); ++slot) {
    StringId expected = 0;
    if (slot->load(std::memory_order_relaxed) == op ||
        slot->compare_exchange_strong(expected, op, std::memory_order_relaxed) || expected == op) {
      return;
    }
  }
}

/// Learns from a c10d collective which group the library's collective `frame`, which makes it, belongs to.
template <typename AnyArgument>
void learnGroup(const OpFacts& facts, ThreadState& thread, const AnyArgument* arguments, OpFrame& frame) noexcept {
  try {
    const c10d::ProcessGroup* group = facts.group_argument ? processGroupOf(arguments[*facts.group_argument]) : nullptr;
    if (group != nullptr) {
      frame.learns_group = false;
      learnLibraryGroup(*group, thread);
    }
  } catch (const LayoutDiffers& differs) {
    ProcessLedger::ledger().notSeen(NotSeen::kTorchLayout, differs.what());
  } catch (...) { // no exception may reach the job
    ProcessLedger::internalError(ProcessLedger::ledger().text(facts.name));
  }
}

} // namespace

void countMetaTensors(bool count) {
  meta_tensors_count.store(count, std::memory_order_relaxed);
}

template <typename AnyArgument>
void CallWatch::begin(const OpFacts& facts, c10::DispatchKeySet keys, const AnyArgument* arguments) {
  const bool is_tracing = isTracing(keys);
  if (is_tracing) {
    CompiledCode::traced();
  }
  ThreadState* thread = is_tracing ? nullptr : ThreadState::current();
  if (thread == nullptr) {
    return;
  }
  if (thread->frame != nullptr) {
    if (thread->frame->row != nullptr) {
      noteLowered(thread->frame->row, facts.name);
    }
    if (thread->frame->learns_group) {
      learnGroup(facts, *thread, arguments, *thread->frame);
    }
    return;
  }
  stands_for_ = thread->collectives_tick.nextStandsFor();
  std::optional<ReductionCall> reduction;
  {
    const CostSample sample(CostPart::kCollectives, stands_for_);
    reduction = countCall(facts, *thread, arguments, frame_);
    thread->frame = &frame_;
    thread_ = thread;
  }
  if (reduction) [[unlikely]] { // after the time that is multiplied for other calls: a digest takes as long as a sample
    catchAll("an input of a reduction", [&] { sampleInputs(facts, arguments, *reduction); });
  }
}

template void CallWatch::begin(const OpFacts&, c10::DispatchKeySet, const c10::IValue*);
template void CallWatch::begin(const OpFacts&, c10::DispatchKeySet, const Argument*);

void CallWatch::issued(const c10d::Work* work) {
  if (thread_ != nullptr && work != nullptr && GlooTiming::isOn() && !frame_.has_work) {
    GlooTiming::pointToPointIssued(work, frame_, thread_);
  }
}

void CallWatch::end() {
  const CostSample sample(CostPart::kCollectives, stands_for_);
  thread_->frame = nullptr;
  if (frame_.in_range) {
    NvtxRanges::pop();
  }
  if (GlooTiming::isOn() && !frame_.has_work && !frame_.captured) {
    LedgerWriter& ledger = ProcessLedger::ledger();
    ledger.notSeen(NotSeen::kUntimed, ledger.text(frame_.op));
  }
  if (frame_.last == nullptr || frame_.last->number.load(std::memory_order_relaxed) != frame_.number) {
    return; // later collectives have reused the entry
  }
  const auto ended = static_cast<uint32_t>(frame_.returned ? LastState::kReturned : LastState::kFailed);
  if (frame_.has_work || frame_.is_timed) { // then it may have completed already
    auto issued = static_cast<uint32_t>(LastState::kIssued);
    frame_.last->state.compare_exchange_strong(issued, ended, std::memory_order_relaxed);
  } else {
    frame_.last->state.store(ended, std::memory_order_relaxed);
  }
}

void CollectiveKernel::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack)
    const {
  if (op.schema().arguments().size() != facts_.argument_count) { // redefined just now
    op.redispatchBoxed(keys & kBelowCollectives, stack);
    return;
  }
  call(op, keys, stack);
}

void CollectiveKernel::call(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) const {
  CallWatch watch(facts_, keys, stack->data() + (stack->size() - facts_.argument_count));
  op.redispatchBoxed(keys & kBelowCollectives, stack);
  watch.returned();
  if (isPointToPoint(facts_.kind) && !stack->empty()) {
    watch.issued(customClassOf<c10d::Work>(stack->back()));
  }
}

} // namespace commtap
