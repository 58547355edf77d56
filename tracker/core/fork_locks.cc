// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/fork_locks.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

using Clock = std::chrono::steady_clock;

/// Time limit for all locks together. On a loaded machine, the holder of a short lock may not run for a long time.
constexpr std::chrono::milliseconds kForkPatience{500};
constexpr std::chrono::microseconds kPause{50};

bool takeUntil(std::mutex& mutex, Clock::time_point deadline) {
  while (!mutex.try_lock()) {
    if (Clock::now() >= deadline) {
      return false;
    }
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

} // namespace

ForkLocks::ForkLocks(std::span<const ForkLock> locks) : count_(std::min(locks.size(), kMax)) {
  std::copy_n(locks.begin(), count_, locks_.begin());
}

uint32_t ForkLocks::take() {
  const Clock::time_point deadline = Clock::now() + kForkPatience;
  uint32_t held = 0;
  for (size_t i = 0; i < count_; ++i) {
    held |= static_cast<uint32_t>(takeUntil(*locks_[i].mutex, deadline)) << i;
  }
  return held;
}

void ForkLocks::giveBack(uint32_t held) {
  for (size_t i = count_; i-- > 0;) {
    if (isHeld(held, i)) {
      locks_[i].mutex->unlock();
    }
  }
}

void ForkLocks::resetInForkedChild(uint32_t held) {
  for (size_t i = 0; i < count_; ++i) {
    new (locks_[i].mutex) std::mutex();
  }
  for (size_t i = count_; i-- > 0;) { // in reverse, so that the ledger, which is last, is replaced first
    if (!isHeld(held, i)) {
      locks_[i].start_anew();
    }
  }
}

void ForkLocks::noteNotSeen(uint32_t held) const {
  for (size_t i = 0; i < count_; ++i) {
    if (!isHeld(held, i)) {
      ProcessLedger::ledger().notSeen(NotSeen::kInternalError, locks_[i].what);
    }
  }
}

} // namespace commtap
