// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/ledger/ledger_format.h"
#include "tracker/core/python_host.h"

namespace commtap {

struct RunningWork {
  CommtapWork what = kCommtapNoWork;
  uint32_t module = kGlobalModule;
  bool unread = false; ///< the frames were not read: earlier looks have taken kMostNs
};

/// Reads Python's frames for collectives outside of every module, scope and label: an optimizer that is not torch's
/// has no label. Most jobs have no such optimizer, and reading frames takes the GIL and microseconds. So a process
/// stops reading them when the first step of a torch optimizer begins in no other optimizer's step, and when looks that
/// found nothing have taken kMostNs of their threads' CPU time. Any thread.
class WorkInFrames {
 public:
  /// Sets the Python part's functions of these names. A process without Python has none.
  static void setFunctions(decltype(CommtapPython::may_run_work) may_run, decltype(CommtapPython::running_work) read);
  /// Returns the work that runs on this thread.
  static RunningWork find();
  /// Notes that the step of a torch optimizer begins on this thread.
  static void torchStepBegins();

  static constexpr uint64_t kMostNs = 50'000'000;
  /// The steps of torch optimizers inside others after which the others are taken not to communicate.
  static constexpr uint32_t kMostSilentSteps = 8;
};

} // namespace commtap
