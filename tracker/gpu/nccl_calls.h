// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shim/tracker_abi.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Counts calls to NCCL: by function, communicator, the collective that makes the call, module and phase.
class NcclCalls {
 public:
  /// Returns the hooks for the stub. `questions` must stay valid until the process exits.
  static const commtap_nccl* hooks(const commtap_nccl_questions* questions);
  /// Turns counting on or off. It is on at load.
  static void setOn(bool on);
  static ForkLock forkLock();
  static void resetInForkedChild();
};

} // namespace commtap
