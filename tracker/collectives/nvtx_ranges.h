// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Ranges of NVTX around collectives, in the domain `commtap`, for COMMTAP_NVTX. Profilers such as Nsight Systems show
/// them. Each range has the text "MODULE PHASE", for example "Net.layers.0 forward".
class NvtxRanges {
 public:
  /// Makes later collectives open ranges. The first one loads the profiler's library, as NVTX itself would.
  static void start();

  /// Opens a range on this thread for a call that is counted in the row of `key`. Returns false if there is none: it is
  /// off, or no profiler wants ranges. Never throws.
  static bool push(const CollectiveKey& key);

  /// Ends the range that push() opened last on this thread. Never throws.
  static void pop();
};

} // namespace commtap
