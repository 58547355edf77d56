// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gloo/gloo_timing.h"

#include <atomic>
#include <exception>
#include <new>
#include <string>

#include "tracker/attribution/attribution.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/core/clock.h"
#include "tracker/core/cost_sample.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/thread_state.h"
#include "tracker/torch/compat.h"
#include "tracker/torch/layout.h"

namespace commtap {
namespace {

/// Whether c10d's works have the layout that this tracker was built for.
enum class WorkLayout : uint8_t { kUntried, kKnown, kOther };

struct GlooState {
  Timing timing;
  WorkTable works;
  std::atomic<WorkLayout> work_layout{WorkLayout::kUntried};
  std::atomic<const ThreadState*> finalizing{nullptr}; ///< the thread on which DDP waits for its buckets
  std::atomic<Stalled> finalizing_in{Stalled()};       ///< the module that runs there
  std::atomic<uint64_t> finalizing_since_ns{0};        ///< steady clock; advances with each bucket; 0: no wait
};

GlooState* state = nullptr;

/// The last Work that this thread has issued.
thread_local const void* tls_last_work = nullptr;

/// Returns the interval; 0 if it is negative, because the clocks of two threads may differ slightly.
uint64_t between(uint64_t from_ns, uint64_t to_ns) {
  return to_ns > from_ns ? to_ns - from_ns : 0;
}

/// Counts how long DDP blocked `thread` for a Work that completed at `now_ns`: the time since the previous Work
/// completed. Does nothing if `thread` is not in finalize_backward().
void countFinalWait(const OpFrame& call, const ThreadState* thread, uint64_t now_ns) {
  if (thread != state->finalizing.load(std::memory_order_acquire)) {
    return;
  }
  uint64_t since_ns = state->finalizing_since_ns.load(std::memory_order_acquire);
  while (since_ns != 0 && since_ns < now_ns && !state->finalizing_since_ns.compare_exchange_weak(since_ns, now_ns)) {
  }
  if (since_ns != 0 && since_ns < now_ns) {
    countExposed(call, state->finalizing_in.load(std::memory_order_relaxed), now_ns - since_ns);
  }
}

/// Counts a completed Work. Several threads may call this for one Work: only the first counts.
void complete(WorkTable::Entry& entry, const void* work, bool succeeded) {
  const CostSample sample;
  const OpFrame call = entry.call;
  const ThreadState* thread = entry.thread;
  const uint64_t started_at_ns = entry.started_at_ns.load(std::memory_order_relaxed);
  const uint64_t now_ns = steadyNow();
  if (!WorkTable::take(entry, work)) {
    return;
  }
  countFinalWait(call, thread, now_ns);
  if (started_at_ns != 0 && succeeded) {
    countDuration(call, DurationKind::kQueued, between(call.issued_at_ns, started_at_ns));
    countDuration(call, DurationKind::kRunning, between(started_at_ns, now_ns));
  }
  noteCompleted(call, succeeded, now_ns);
}

/// Compares the layout of c10d's works with that of a first one.
WorkLayout compareLayout(const void* work) {
  const std::string difference = layoutDifference(*static_cast<const c10d::Work*>(work));
  const WorkLayout layout = difference.empty() ? WorkLayout::kKnown : WorkLayout::kOther;
  if (state->work_layout.exchange(layout) != layout && layout == WorkLayout::kOther) {
    ProcessLedger::ledger().notSeen(NotSeen::kTorchLayout, difference);
    logWarning(
        "this torch differs from the torch " + compat::builtForTorch() + " that the tracker was built for (" +
        difference + "): install a release of torch; no collective on Gloo is timed: run `commtap doctor`");
  }
  return layout;
}

bool isLayoutKnown(const void* work) {
  WorkLayout layout = state->work_layout.load(std::memory_order_relaxed);
  layout = layout == WorkLayout::kUntried ? compareLayout(work) : layout;
  return layout == WorkLayout::kKnown;
}

void watch(const void* work, OpFrame& call, const ThreadState* thread) {
  const CostSample sample;
  if (!isLayoutKnown(work)) {
    return;
  }
  OpFrame timed = call;
  if (call.has_work) {
    timed.bytes = 0; // a call with several Works has a duration for each, but one payload
  }
  call.has_work = true;
  tls_last_work = work;
  if (call.row != nullptr && isStepTimed(state->timing.every) && !state->works.add(work, timed, thread)) {
    ProcessLedger::ledger().notSeen(NotSeen::kUntimed, ProcessLedger::ledger().text(call.op));
  }
}

/// Returns the Work of an intrusive_ptr. The ABI passes an intrusive_ptr by the address of its only member, the
/// pointer.
const void* workOf(void* work_pointer) {
  return *static_cast<void**>(work_pointer);
}

void enqueue(void (*real)(void*, void*), void* group, void* work_pointer) {
  if (ThreadState* thread = ThreadState::current(); thread != nullptr && thread->frame != nullptr) {
    watch(workOf(work_pointer), *thread->frame, thread);
  }
  real(group, work_pointer);
}

void execute(void (*real)(void*), void* work_pointer) {
  const void* work = workOf(work_pointer);
  WorkTable::Entry* entry = state->works.find(work);
  if (entry == nullptr) {
    real(work_pointer);
    return;
  }
  const uint64_t now_ns = steadyNow();
  entry->started_at_ns.store(now_ns, std::memory_order_relaxed);
  noteStarted(entry->call, now_ns);
  real(work_pointer);
  complete(*entry, work, compat::hasSucceeded(work));
}

/// Measures one wait of a job's thread for a Work.
class Wait {
 public:
  Wait(WorkTable::Entry& entry, const void* work)
      : entry_(entry),
        work_(work),
        call_(entry.call),
        where_(stalledNow(ThreadState::ifKnown())),
        since_ns_(steadyNow()) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;
  ~Wait() {
    countExposed(call_, where_, between(since_ns_, steadyNow()));
    // Gloo's thread reports the completion only later. A process that exits before would have no duration.
    complete(entry_, work_, std::uncaught_exceptions() == exceptions_);
  }

 private:
  WorkTable::Entry& entry_;
  const void* work_;
  OpFrame call_;
  Stalled where_;
  uint64_t since_ns_;
  int exceptions_ = std::uncaught_exceptions();
};

bool wait(bool (*real)(void*, long), void* work, long timeout_ms) {
  WorkTable::Entry* entry = state->works.find(work);
  if (entry == nullptr) {
    return real(work, timeout_ms);
  }
  const Wait waiting(*entry, work);
  return real(work, timeout_ms);
}

/// Returns whether a call reduces gradients of a DDP module.
bool isOfDdp(const OpFrame& call) {
  const CollectiveKey& key = call.row->key;
  return key.phase == Phase::kBackward && ModuleRegistry::get().nearest(key.module, ModuleRole::kDdp) == key.module;
}

/// Marks the thread as inside DDP's finalize_backward(). DDP waits for the futures of its buckets, and the stub cannot
/// interpose that wait. So the Works of this thread that complete during the call measure the wait.
class FinalWait {
 public:
  FinalWait() {
    const ThreadState* nobody = nullptr;
    mine_ = state->finalizing.compare_exchange_strong(nobody, ThreadState::current(), std::memory_order_acq_rel);
    if (mine_) {
      state->finalizing_in.store(stalledNow(ThreadState::ifKnown()), std::memory_order_relaxed);
      state->finalizing_since_ns.store(steadyNow(), std::memory_order_release);
    }
  }
  FinalWait(const FinalWait&) = delete;
  FinalWait& operator=(const FinalWait&) = delete;
  ~FinalWait() {
    if (mine_) {
      completeLastBucket();
      state->finalizing_since_ns.store(0, std::memory_order_release);
      state->finalizing.store(nullptr, std::memory_order_release);
    }
  }

 private:
  /// Completes the last bucket. It wakes this thread before Gloo's thread reports it: when that happens, the wait is
  /// over, and the step maybe too. An entry of this thread means that Gloo still holds the Work.
  void completeLastBucket() const {
    const void* work = tls_last_work;
    WorkTable::Entry* entry = work == nullptr ? nullptr : state->works.find(work);
    if (entry != nullptr && entry->thread == ThreadState::ifKnown() && isOfDdp(entry->call)) {
      complete(*entry, work, std::uncaught_exceptions() == exceptions_);
    }
  }

  bool mine_;
  int exceptions_ = std::uncaught_exceptions();
};

void finalizeBackward(void (*real)(void*), void* reducer) {
  const FinalWait waiting;
  real(reducer);
}

constexpr commtap_timing kHooks = {
    .enqueue = enqueue,
    .execute = execute,
    .wait = wait,
    .finalize_backward = finalizeBackward,
};

} // namespace

bool GlooTiming::start(Timing timing) {
  if (timing.isOn() && state == nullptr) {
    state = new (std::nothrow) GlooState();
  }
  is_on_ = timing.isOn() && state != nullptr;
  if (is_on_) {
    state->timing = timing;
  }
  return is_on_ == timing.isOn();
}

bool GlooTiming::is_on_ = false;

const commtap_timing* GlooTiming::hooks() {
  return isOn() ? &kHooks : nullptr;
}

void GlooTiming::pointToPointIssued(const void* work, OpFrame& call, const ThreadState* thread) {
  watch(work, call, thread);
}

void GlooTiming::resetInForkedChild() {
  if (isOn()) {
    state->works.clear();
    state->finalizing_since_ns.store(0);
    state->finalizing.store(nullptr);
  }
}

namespace {

/// Entry::work is the address of kFilling while a thread writes the entry.
constexpr char kFilling = 0;

} // namespace

WorkTable::Entry& WorkTable::entryNear(const void* work, size_t nth) {
  const uint64_t hash = reinterpret_cast<uintptr_t>(work) * 0x9e3779b97f4a7c15U;
  return entries_[((hash >> 40U) + nth) % kCapacity];
}

bool WorkTable::claim(Entry& entry, const void* work) {
  const void* expected = work;
  if (!entry.work.compare_exchange_strong(expected, &kFilling, std::memory_order_acquire)) {
    return false;
  }
  entry.started_at_ns.store(0, std::memory_order_relaxed);
  return true;
}

bool WorkTable::add(const void* work, const OpFrame& call, const ThreadState* thread) {
  // Prefers an entry that an earlier Work at this address left, then an unused one.
  for (const void* before : {work, static_cast<const void*>(nullptr)}) {
    for (size_t nth = 0; nth < kProbes; ++nth) {
      Entry& entry = entryNear(work, nth);
      if (claim(entry, before)) {
        entry.call = call;
        entry.thread = thread;
        entry.work.store(work, std::memory_order_release);
        return true;
      }
    }
  }
  return false;
}

WorkTable::Entry* WorkTable::find(const void* work) {
  for (size_t nth = 0; nth < kProbes; ++nth) {
    Entry& entry = entryNear(work, nth);
    if (entry.work.load(std::memory_order_acquire) == work) {
      return &entry;
    }
  }
  return nullptr;
}

void WorkTable::clear() {
  for (Entry& entry : entries_) {
    entry.work.store(nullptr, std::memory_order_relaxed);
  }
}

} // namespace commtap
