// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cerrno>
#include <string_view>

#include "tracker/core/cost_sample.h"
#include "tracker/core/process_ledger.h"

namespace commtap {

/// The host must find errno as it left it.
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

/// Nothing that goes wrong in `act` may reach the job: it is counted as an internal error of `what`.
template <typename Act>
void catchAll(std::string_view what, const Act& act) noexcept {
  const ErrnoGuard keep_errno;
  const CostSample sample;
  try {
    act();
  } catch (...) {
    ProcessLedger::ledger().notSeen(NotSeen::kInternalError, what);
  }
}

} // namespace commtap
