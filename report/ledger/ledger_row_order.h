// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "report/base/zeroed_numbers.h"

namespace commtap {

/// How far a thread has come, in row numbers + 1; 0: not known.
struct LedgerRowPlace {
  uint32_t last = 0;
  uint32_t next = 0; ///< probably
};

/// Which row comes after which: training makes its collectives in one order over and over. Between two of them the
/// caches have held all that the job computes with. Who knows where the next one will be counted can fetch all of that
/// at once, and need not search. Any thread, each with a place of its own.
template <size_t kRows>
class LedgerRowOrder {
 public:
  static constexpr uint64_t kBytes = (kRows + 1) * sizeof(uint32_t);

  /// False if there is no memory for it.
  bool create() {
    next_ = zeroedNumbers(kRows + 1);
    return next_ != nullptr;
  }

  /// The thread has come to `row`. Who is told a row by another thread may read it: hence release and acquire.
  void advance(LedgerRowPlace& place, uint32_t row) {
    if (place.next != row + 1) {
      next_[place.last].store(row + 1, std::memory_order_release);
    }
    place = {row + 1, next_[row + 1].load(std::memory_order_acquire)};
  }

  /// Has in the cache what advance() from `place` will need.
  void prefetch(LedgerRowPlace place) const {
    __builtin_prefetch(&next_[place.next]);
  }

 private:
  ZeroedNumbers next_; ///< by the row before, as LedgerRowPlace has it
};

} // namespace commtap
