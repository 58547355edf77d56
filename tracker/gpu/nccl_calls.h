// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shim/tracker_abi.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Counts calls to NCCL: by function, communicator, the collective that makes the call, module and phase.
class NcclCalls {
 public:
  /// What the stub calls; `questions` must stay valid.
  static const commtap_nccl* hooks(const commtap_nccl_questions* questions);
  /// Counts, as it does from the start, or not.
  static void setOn(bool on);
  static ForkLock forkLock();
  static void resetInForkedChild();
};

} // namespace commtap
