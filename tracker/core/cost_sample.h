// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Scoped timer of commtap's own overhead. A thread times its first kOfEach calls, then kOfEach of every 5th, every
/// 21st, up to every kMaxEvery-th. A timed call's weight is that interval. An untimed call costs a decrement.
class CostSample {
 public:
  static constexpr uint16_t kOfEach = 64;
  static constexpr uint16_t kMaxEvery = 5461;
  /// A timed call that takes longer has weight 1: it ran for the first time, or another thread had the core.
  static constexpr uint64_t kRareNs = 20'000;

  /// Decides which calls are timed, for one thread and one CostPart.
  class Tick {
   public:
    /// Returns true if the next call is not timed, and then skips that call.
    bool passOver() {
      if (left_ == 1) {
        return false;
      }
      --left_;
      return true;
    }
    /// Returns the weight of the next call; 0 if the call is not timed.
    uint32_t nextStandsFor() {
      return passOver() ? 0 : choose();
    }

   private:
    uint32_t choose();

    uint32_t left_ = 1;     ///< calls up to and including the next timed call
    uint16_t every_ = 1;    ///< interval: every n-th call is timed
    uint16_t measured_ = 0; ///< calls timed at this interval
  };

  /// Times work that belongs to neither module calls nor collectives, on any thread.
  CostSample() : CostSample(CostPart::kOther, tls_other_.nextStandsFor()) {}
  /// Times one part of work that is split in two: the same `stands_for` times both parts or neither.
  CostSample(CostPart part, uint32_t stands_for) : part_(part), stands_for_(stands_for) {
    if (stands_for_ != 0) [[unlikely]] {
      begin();
    }
  }
  CostSample(const CostSample&) = delete;
  CostSample& operator=(const CostSample&) = delete;
  ~CostSample() {
    if (stands_for_ != 0) [[unlikely]] {
      end();
    }
  }

 private:
  // initial-exec: see ThreadState::tls_state_.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit Tick tls_other_;

  void begin();
  void end() const;

  CostPart part_;
  uint32_t stands_for_;  ///< weight in calls; 0: this call is not timed
  uint64_t began_at_ns_; ///< set only if the call is timed
};

} // namespace commtap
