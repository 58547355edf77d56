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

/// Runs `act` and keeps its exceptions from the job. Counts an exception as an internal error of `what`.
template <typename Act>
void catchAll(std::string_view what, const Act& act) noexcept {
  const ErrnoGuard keep_errno;
  const CostSample sample;
  try {
    act();
  } catch (...) {
    ProcessLedger::internalError(what);
  }
}

} // namespace commtap
