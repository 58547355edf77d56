// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>

#include <array>
#include <cerrno>

#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/captures.h"
#include "tracker/collectives/groups.h"
#include "tracker/collectives/observers.h"
#include "tracker/collectives/registration.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/guarded.h"
#include "tracker/core/lasting_text.h"
#include "tracker/core/log.h"
#include "tracker/core/recorder.h"
#include "tracker/core/steps.h"
#include "tracker/core/timeline.h"
#include "tracker/gloo/gloo_timing.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"
#include "tracker/gpu/nccl_calls.h"
#include "tracker/ops/op_watch.h"
#include "tracker/watching.h"

namespace commtap {
namespace {

/// A thread takes them in this order.
ForkLocks& locks() {
  static auto* instance = new ForkLocks(std::array{
      watchingForkLock(),
      opWatchForkLock(),
      registrationForkLock(),
      lateOpsForkLock(),
      groupsForkLock(),
      NcclCalls::forkLock(),
      GraphCaptures::forkLock(),
      Captures::forkLock(),
      Recorder::forkLock(),
      ModuleRegistry::forkLock(),
      Timelines::forkLock(),
      lastingTextForkLock(),
      logForkLock(),
      Recorder::ledgerForkLock()});
  return *instance;
}

[[gnu::tls_model("initial-exec")]] thread_local uint32_t tls_held = 0;

void beforeFork() {
  const ErrnoGuard keep_errno;
  tls_held = locks().take();
}

void inParent() {
  const ErrnoGuard keep_errno;
  locks().giveBack(tls_held);
}

void inChild() {
  guarded("fork", [] {
    locks().resetInForkedChild(tls_held);
    Observers::resetInForkedChild();
    Steps::resetInForkedChild();
    Recorder::get().resetInForkedChild();
    GlooTiming::resetInForkedChild();
    DeviceTiming::resetInForkedChild();
    NcclCalls::resetInForkedChild();
    GraphCaptures::resetInForkedChild();
    locks().noteNotSeen(tls_held);
  });
}

} // namespace

void watchForks() {
  locks(); // made now: a fork may find no memory
  pthread_atfork(beforeFork, inParent, inChild);
}

} // namespace commtap
