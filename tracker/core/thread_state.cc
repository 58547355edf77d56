// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/thread_state.h"

#include <pthread.h>

#include <new>

#include "tracker/core/process_ledger.h"
#include "tracker/torch/compat.h"

namespace commtap {

thread_local constinit ThreadState* ThreadState::tls_state_ = nullptr;

void ThreadState::destroy(void* state) {
  // A job's destructor that runs after this one may issue a collective: the thread then gets a new state.
  tls_state_ = nullptr;
  auto* ended = static_cast<ThreadState*>(state);
  Timelines::retire(ended->timeline.timeline());
  delete ended;
}

ThreadState* ThreadState::create() {
  static const pthread_key_t at_thread_exit = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, destroy);
    return made;
  }();
  Timeline* timeline = Timelines::add(compat::threadId());
  if (timeline == nullptr) {
    return nullptr;
  }
  auto* state = new (std::nothrow) ThreadState(*timeline);
  if (state == nullptr) {
    Timelines::retire(*timeline);
    return nullptr;
  }
  ProcessLedger::ledger().header().cost.thread_bytes.store(Timelines::maxBytes(), std::memory_order_relaxed);
  pthread_setspecific(at_thread_exit, state);
  tls_state_ = state;
  return state;
}

void ThreadState::countTooDeep() {
  ProcessLedger::ledger().notSeen(NotSeen::kModuleStackTooDeep, "");
}

namespace {

/// Returns true while `call` still owns its slot among the last collectives.
bool isAmongLast(const OpFrame& call) {
  return call.last != nullptr && call.last->number.load(std::memory_order_acquire) == call.number;
}

} // namespace

bool isStepTimed(uint32_t every) {
  return every == 1 || ProcessLedger::ledger().stepNumber() % every == 0;
}

void countDuration(const OpFrame& call, DurationKind kind, uint64_t ns) {
  LedgerWriter& ledger = ProcessLedger::ledger();
  if (LedgerTimes* times = ledger.timesOf(*call.row)) {
    ledger.countDuration(*call.row, *times, kind, ns);
    if (kind == DurationKind::kRunning) {
      times->bytes.fetch_add(call.bytes, std::memory_order_relaxed);
    }
  }
}

void countExposed(const OpFrame& call, const Stalled& where, uint64_t ns) {
  countDuration(call, DurationKind::kExposed, ns);
  if (call.row->times.load(std::memory_order_relaxed) != 0) {
    ProcessLedger::ledger().countStall(*call.row, where.module, where.phase, ns);
  }
}

void noteCompleted(const OpFrame& call, bool succeeded, uint64_t completed_at_ns) {
  if (isAmongLast(call)) {
    call.last->completed_at_ns.store(succeeded ? completed_at_ns : 0, std::memory_order_relaxed);
    call.last->state.store(
        static_cast<uint32_t>(succeeded ? LastState::kCompleted : LastState::kFailed), std::memory_order_relaxed);
  }
}

void noteStarted(const OpFrame& call, uint64_t started_at_ns) {
  if (isAmongLast(call)) {
    call.last->started_at_ns.store(started_at_ns, std::memory_order_relaxed);
  }
}

} // namespace commtap
