// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Measures what our own code takes of the job's time, while it lives: of each thread the first kOfEach calls all, then
/// as many of each fifth, as many of each 21st, and so on, until it is each kMaxEvery-th. Each stands for itself and
/// for those until the next. The others pay for a decrement.
class CostSample {
 public:
  static constexpr uint16_t kOfEach = 64;
  static constexpr uint16_t kMaxEvery = 5461;
  /// What takes longer stands for itself alone: it happened for the first time, or another thread had the core.
  static constexpr uint64_t kRareNs = 20'000;

  /// Of one thread and one part: when it measures itself again.
  class Tick {
   public:
    /// True if the next call is not measured; it is passed over then.
    bool passOver() {
      if (left_ == 1) {
        return false;
      }
      --left_;
      return true;
    }
    /// How many calls the next one stands for; 0: it is not measured.
    uint32_t nextStandsFor() {
      return passOver() ? 0 : choose();
    }

   private:
    uint32_t choose();

    uint32_t left_ = 1;     ///< calls until then
    uint16_t every_ = 1;    ///< which of the calls are measured
    uint16_t measured_ = 0; ///< calls since it is these
  };

  /// Of neither module calls nor collectives, on any thread.
  CostSample() : CostSample(CostPart::kOther, tls_other_.nextStandsFor()) {}
  /// For work in two pieces, of which both or none are measured.
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
  // initial-exec: as ThreadState's.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit Tick tls_other_;

  void begin();
  void end() const;

  CostPart part_;
  uint32_t stands_for_;  ///< calls; 0: this one is not measured
  uint64_t began_at_ns_; ///< only if it is
};

} // namespace commtap
