// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collective_kernel.h"

#include <algorithm>
#include <array>
#include <atomic>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include "tracker/attribution.h"
#include "tracker/custom_class.h"
#include "tracker/groups.h"
#include "tracker/observers.h"
#include "tracker/payload.h"
#include "tracker/recorder.h"

namespace commtap {
namespace {

constexpr c10::DispatchKeySet kBelow(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::BackendSelect);

/// Fake, proxy and meta tensors: a compiler or a dry run looks at the op, nothing is communicated.
bool isTracing(c10::DispatchKeySet keys) {
  return keys.has(c10::DispatchKey::Python) || keys.has_backend(c10::BackendComponent::MetaBit);
}

/// One call of an op that no other collective op is making.
class Call {
 public:
  Call(const OpFacts& facts, ThreadState& thread, const c10::IValue* arguments)
      : facts_(facts), thread_(thread), arguments_(arguments) {}

  /// The row that counted it; null if the table is full.
  LedgerCollective* count() {
    const GroupRef group = this->group();
    const Payload payload = facts_.payload_argument ? payloadOf(arguments_[*facts_.payload_argument]) : Payload();
    const Origin origin = currentOrigin(thread_, inputStorage());
    LedgerWriter& ledger = Recorder::get().ledger();
    LedgerCollective* row = ledger.row({
        origin.module,
        origin.issued_in,
        facts_.name,
        group.index,
        dtypeName(payload),
        reduceOpName(),
        facts_.kind,
        origin.phase,
        asyncOp(),
        {},
    });
    if (row != nullptr) {
      const uint64_t times = facts_.payload == PayloadRule::kArgumentTimesGroup ? group.size : 1;
      row->bytes.fetch_add(payload.bytes * times, std::memory_order_relaxed);
      row->count.fetch_add(1, std::memory_order_relaxed);
      if (Observers::any()) {
        Observers::collective(*row, payload.bytes * times);
      }
    }
    countGaps(ledger, group, origin);
    return row;
  }

 private:
  GroupRef group() {
    GroupRef found;
    if (facts_.group_argument) {
      const c10::IValue& group = arguments_[*facts_.group_argument];
      if (group.isString()) {
        found = groupNamed(group.toStringRef(), thread_);
      } else if (const auto* process_group = customClassOf<c10d::ProcessGroup>(group)) {
        found = groupOf(*process_group, thread_);
      }
    }
    if (found.size == 0) {
      Recorder::get().processGroupSeen(-1, -1);
    }
    return found;
  }

  /// Only a sharding library's labels make it worth looking.
  const void* inputStorage() const {
    const bool wanted = !thread_.unit_labels.empty() && facts_.input_argument;
    return wanted ? firstStorage(arguments_[*facts_.input_argument]) : nullptr;
  }

  StringId reduceOpName() {
    if (!facts_.reduce_op_argument) {
      return 0;
    }
    const c10::IValue& value = arguments_[*facts_.reduce_op_argument];
    return commtap::reduceOpName(value);
  }

  AsyncOp asyncOp() const {
    if (facts_.functional) {
      return AsyncOp::kYes;
    }
    if (!facts_.async_argument) {
      return AsyncOp::kUnknown;
    }
    return arguments_[*facts_.async_argument].toBool() ? AsyncOp::kYes : AsyncOp::kNo;
  }

  void countGaps(LedgerWriter& ledger, GroupRef group, const Origin& origin) const {
    if (origin.missed) {
      ledger.notSeen(*origin.missed, ledger.text(facts_.name));
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
  const c10::IValue* arguments_;
};

LedgerCollective* countCall(const OpFacts& facts, ThreadState& thread, const torch::jit::Stack& stack) noexcept {
  try {
    return Call(facts, thread, stack.data() + (stack.size() - facts.argument_count)).count();
  } catch (...) { // nothing that goes wrong here may reach the job
    Recorder::get().ledger().notSeen(NotSeen::kInternalError, Recorder::get().ledger().text(facts.name));
    return nullptr;
  }
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

/// Marks the thread as inside a collective, also when the op throws.
class FrameGuard {
 public:
  FrameGuard(ThreadState& thread, OpFrame& frame) : thread_(thread) {
    thread.frame = &frame;
  }
  FrameGuard(const FrameGuard&) = delete;
  FrameGuard& operator=(const FrameGuard&) = delete;
  ~FrameGuard() {
    thread_.frame = nullptr;
  }

 private:
  ThreadState& thread_;
};

} // namespace

void CollectiveKernel::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  ThreadState* thread = isTracing(keys) ? nullptr : ThreadState::current();
  if (thread == nullptr) {
    op.redispatchBoxed(keys & kBelow, stack);
    return;
  }
  if (thread->frame != nullptr) {
    if (thread->frame->row != nullptr) {
      noteLowered(thread->frame->row, facts_.name);
    }
    op.redispatchBoxed(keys & kBelow, stack);
    return;
  }
  OpFrame frame{countCall(facts_, *thread, *stack), facts_.name};
  const FrameGuard guard(*thread, frame);
  op.redispatchBoxed(keys & kBelow, stack);
}

} // namespace commtap
