// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/watching.h"

#include <unistd.h>

#include <mutex>

#include "report/model/options.h"
#include "tracker/collectives/registration.h"
#include "tracker/core/log.h"
#include "tracker/core/recorder.h"
#include "tracker/gpu/nccl_calls.h"
#include "tracker/modules/python_bridge.h"
#include "tracker/ops/op_watch.h"

namespace commtap {
namespace {

std::mutex& watchingMutex() {
  static auto* instance = new std::mutex(); // leaked: threads ask until the process is gone
  return *instance;
}

} // namespace

void startOps(Level level) {
  if (level == Level::kCollectives) {
    return;
  }
  if (Recorder::ledger().countOperations(level)) {
    setOpLevel(level);
  } else {
    logWarning("COMMTAP_LEVEL: there is no memory for the table of ops; only collectives are counted");
  }
}

void setWatching(bool on) {
  static bool is_on = true;
  const std::lock_guard<std::mutex> lock(watchingMutex());
  if (is_on == on) {
    return;
  }
  is_on = on;
  const Options options = parseOptions(environ).options;
  if (on) {
    startKernels(options.ops);
    startOps(options.level);
  } else {
    stopKernels();
    setOpLevel(Level::kCollectives);
  }
  NcclCalls::setOn(on);
  setPythonEnabled(on, options.labels);
}

ForkLock watchingForkLock() {
  return {&watchingMutex(), [] {}, "switching on or off at a fork"};
}

} // namespace commtap
