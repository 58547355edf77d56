// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace commtap {

/// A lock of the tracker, for a process that forks while other threads work.
struct ForkLock {
  std::mutex* mutex;
  /// In the child, where what the lock guards was perhaps being changed at the fork: makes it anew. What is there must
  /// not be looked at, not even to destroy it.
  void (*start_anew)();
  const char* what; ///< for the report
};

/// The locks of a process, in the order in which a thread takes them. While a process is copied all of them are held,
/// so that the child finds whole what they guard. But a fork waits only so long: who holds a lock may itself wait, for
/// a disk or for the thread that forks.
class ForkLocks {
 public:
  static constexpr size_t kMax = 16;

  explicit ForkLocks(std::span<const ForkLock> locks);

  /// Before the fork. Returns which locks are held now, for the functions below; the same thread is to call them.
  uint32_t take();
  void giveBack(uint32_t held);
  /// In the child all locks are free again, whoever held them.
  void resetInForkedChild(uint32_t held);
  /// In the child, once the ledger works: what had to be made anew.
  void noteNotSeen(uint32_t held) const;

 private:
  bool isHeld(uint32_t held, size_t lock) const {
    return ((held >> lock) & 1U) != 0;
  }

  std::array<ForkLock, kMax> locks_{};
  size_t count_ = 0;
};

/// From now on the child of a fork has a tracker that works.
void watchForks();

} // namespace commtap
