// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/counting.h"

#include <mutex>

#include "report/model/options.h"
#include "tracker/collectives/registration.h"
#include "tracker/core/log.h"
#include "tracker/core/process_ledger.h"
#include "tracker/core/steps.h"
#include "tracker/gpu/nccl_calls.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/ops/op_observer.h"

namespace commtap {
namespace {

std::mutex& countingMutex() {
  static auto* instance = new std::mutex(); // leaked on purpose: threads call until the process exits
  return *instance;
}

} // namespace

void startOps(Level level) {
  if (level == Level::kCollectives) {
    return;
  }
  if (ProcessLedger::ledger().countOperations(level)) {
    setOpLevel(level);
  } else {
    logWarning("COMMTAP_LEVEL: there is no memory for the table of ops; only collectives are counted");
  }
}

void setCounting(bool on) {
  static bool is_on = true;
  const std::lock_guard<std::mutex> lock(countingMutex());
  if (is_on == on) {
    return;
  }
  is_on = on;
  const Options& options = ProcessLedger::get().options();
  if (on) {
    startKernels(options.ops);
    startOps(options.level);
  } else {
    Steps::forwardsUnseen();
    stopKernels();
    setOpLevel(Level::kCollectives);
  }
  NcclCalls::setOn(on);
  setPythonEnabled(on, options.labels);
}

ForkLock countingForkLock() {
  return {&countingMutex(), [] {}, "switching on or off at a fork"};
}

} // namespace commtap
