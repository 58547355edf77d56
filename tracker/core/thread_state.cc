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

} // namespace commtap
