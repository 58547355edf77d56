// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <string_view>

#include "tracker/core/cost_sample.h"
#include "tracker/core/process_ledger.h"

namespace commtap {

/// Restores errno when destroyed, so that the host finds the value it left.
class ErrnoGuard {
 public:
  ErrnoGuard() = default;
  ErrnoGuard(const ErrnoGuard&) = delete;
  ErrnoGuard& operator=(const ErrnoGuard&) = delete;
  ~ErrnoGuard() {
    errno = saved_;
  }

 private:
  int saved_ = errno;
};

/// Runs `act` and keeps its exceptions from the job. Counts an exception as an internal error of `what`. For work
/// inside a CostSample, which has its time: another sample would add that time twice to the process's own cost.
template <typename Act>
void catchAllInSample(std::string_view what, const Act& act) noexcept {
  const ErrnoGuard keep_errno;
  try {
    act();
  } catch (...) {
    ProcessLedger::internalError(what);
  }
}

/// Runs `act` and keeps its exceptions from the job. Counts an exception as an internal error of `what`, and the time
/// as CostPart::kOther.
template <typename Act>
void catchAll(std::string_view what, const Act& act) noexcept {
  const CostSample sample;
  catchAllInSample(what, act);
}

} // namespace commtap
