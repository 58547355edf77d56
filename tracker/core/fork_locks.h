// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace commtap {

/// A lock of the tracker that a fork takes, so that other threads may work during the fork.
struct ForkLock {
  std::mutex* mutex;
  /// Runs in the child if take() did not get this lock. Replaces the guarded object; must not read or destroy the old
  /// one, which may be half-written.
  void (*start_anew)();
  const char* what; ///< name in the report
};

/// The tracker's locks, in lock order. The forking thread holds them during the fork, so that the child finds
/// consistent data. The fork waits for a lock only for a limited time: the lock's holder may wait for a disk or for
/// the forking thread.
class ForkLocks {
 public:
  static constexpr size_t kMax = 16;

  explicit ForkLocks(std::span<const ForkLock> locks);

  /// Takes the locks before the fork. Returns a bit mask of the locks taken, which the functions below expect. They
  /// must run on the same thread.
  uint32_t take();
  void giveBack(uint32_t held);
  /// Runs in the child: frees all locks, including those that other threads held at the fork.
  void resetInForkedChild(uint32_t held);
  /// Runs in the child once the ledger works: reports the objects that were replaced.
  void noteNotSeen(uint32_t held) const;

 private:
  bool isHeld(uint32_t held, size_t lock) const {
    return ((held >> lock) & 1U) != 0;
  }

  std::array<ForkLock, kMax> locks_{};
  size_t count_ = 0;
};

/// Installs the fork handlers that give each forked child a working tracker.
void watchForks();

} // namespace commtap
