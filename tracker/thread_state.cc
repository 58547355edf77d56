// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/thread_state.h"

#include <pthread.h>

#include <new>

#include "tracker/recorder.h"
#include "tracker/torch_compat.h"

namespace commtap {
namespace {

// initial-exec: one pointer out of the surplus that the loader keeps for libraries that come late; the general model
// would cost a call into the loader on every module call.
[[gnu::tls_model("initial-exec")]] thread_local ThreadState* tls_state = nullptr;

pthread_key_t exitKey() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, [](void* state) {
      // A destructor of the job's that runs after this one may issue a collective: it then gets a new state.
      tls_state = nullptr;
      delete static_cast<ThreadState*>(state);
    });
    return made;
  }();
  return key;
}

} // namespace

ThreadState* ThreadState::current() {
  ThreadState* state = tls_state;
  return state != nullptr ? state : create();
}

ThreadState* ThreadState::create() {
  auto* state = new (std::nothrow) ThreadState();
  if (state == nullptr) {
    return nullptr;
  }
  state->timeline = Timelines::add(compat::threadId());
  if (state->timeline == nullptr) {
    delete state;
    return nullptr;
  }
  pthread_setspecific(exitKey(), state);
  tls_state = state;
  return state;
}

uint32_t ThreadState::enter(Scope scope) {
  if (depth_ < kMaxDepth) {
    scopes_[depth_] = scope;
  } else {
    Recorder::get().ledger().notSeen(NotSeen::kModuleStackTooDeep, "");
  }
  return depth_++;
}

void ThreadState::leave(uint32_t depth) {
  depth_ = depth;
}

} // namespace commtap
