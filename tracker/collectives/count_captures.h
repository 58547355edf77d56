// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "report/ledger/ledger_format.h"
#include "shim/commtap.h"
#include "tracker/core/fork_locks.h"

namespace commtap {

/// Tables of the collectives counted between two moments, in addition to the report's. Any thread.
class CountCaptures {
 public:
  static CountCaptures& get();

  /// Opens a capture and returns its number, above 0.
  long begin(commtap_threads threads);
  bool end(long capture);
  /// Returns the rows in the order of their first calls; nullopt if there is no such capture.
  std::optional<std::vector<commtap_collective>> read(long capture);

  void count(const LedgerCollective& row, uint64_t bytes);

  static ForkLock forkLock();

 private:
  struct Amount {
    const LedgerCollective* row;
    uint64_t count;
    uint64_t bytes;
  };
  struct Capture {
    uint64_t only_thread; ///< torch's id of the thread, which is never reused; 0: all threads
    std::vector<Amount> amounts;
    std::unordered_map<const LedgerCollective*, size_t> index; ///< in amounts
  };

  using All = std::map<long, Capture>;

  std::mutex mutex_;
  All captures_;
  long last_ = 0;
};

} // namespace commtap
