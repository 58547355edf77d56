// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>

#include <array>
#include <cerrno>

#include "tracker/attribution/module_registry.h"
#include "tracker/collectives/collective_observers.h"
#include "tracker/collectives/count_captures.h"
#include "tracker/collectives/groups.h"
#include "tracker/collectives/registration.h"
#include "tracker/compiled/compiled_code.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/launch_environment.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/core/timeline.h"
#include "tracker/counting.h"
#include "tracker/gloo/gloo_timing.h"
#include "tracker/gpu/device_timing.h"
#include "tracker/gpu/graph_captures.h"
#include "tracker/gpu/nccl_calls.h"
#include "tracker/ops/op_observer.h"
#include "tracker/verify/sampler.h"

namespace commtap {
namespace {

/// The tracker's locks in lock order.
ForkLocks& locks() {
  static auto* instance = new ForkLocks(std::array{
      countingForkLock(),
      opWatchForkLock(),
      registrationForkLock(),
      lateOpsForkLock(),
      groupsForkLock(),
      NcclCalls::forkLock(),
      GraphCaptures::forkLock(),
      CountCaptures::forkLock(),
      ProcessLedger::forkLock(),
      CompiledCode::forkLock(),
      ModuleRegistry::forkLock(),
      Timelines::forkLock(),
      Sampler::forkLock(),
      lastingTextForkLock(),
      logForkLock(),
      ProcessLedger::ledgerForkLock()});
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
  catchAll("fork", [] {
    locks().resetInForkedChild(tls_held);
    CollectiveObservers::resetInForkedChild();
    Steps::resetInForkedChild();
    ProcessLedger::get().resetInForkedChild();
    GlooTiming::resetInForkedChild();
    DeviceTiming::resetInForkedChild();
    NcclCalls::resetInForkedChild();
    UnseenSigns::resetInForkedChild();
    GraphCaptures::resetInForkedChild();
    Sampler::resetInForkedChild();
    locks().noteNotSeen(tls_held);
  });
}

} // namespace

void watchForks() {
  locks(); // created now: at a fork there may be no memory
  pthread_atfork(beforeFork, inParent, inChild);
}

} // namespace commtap
