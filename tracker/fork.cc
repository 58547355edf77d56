// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>

#include <array>
#include <cerrno>

#include "tracker/captures.h"
#include "tracker/device_timing.h"
#include "tracker/fork_locks.h"
#include "tracker/gloo_timing.h"
#include "tracker/graph_captures.h"
#include "tracker/groups.h"
#include "tracker/guarded.h"
#include "tracker/lasting_text.h"
#include "tracker/log.h"
#include "tracker/module_registry.h"
#include "tracker/nccl_calls.h"
#include "tracker/observers.h"
#include "tracker/op_watch.h"
#include "tracker/recorder.h"
#include "tracker/registration.h"
#include "tracker/steps.h"
#include "tracker/timeline.h"
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
