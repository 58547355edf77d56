// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace commtap {

/// Maps an NCCL communicator, by address, to its number in the ledger. Any thread. A repeated lookup takes no lock,
/// unless another communicator shares the slot.
class Communicators {
 public:
  /// Returns the number; kNoIndex if the communicator was not added.
  uint32_t find(const void* communicator);
  /// Adds the communicator with the number that `make` returns, unless another thread has added it already. Returns its
  /// number; kNoIndex if `make` does, and then adds nothing. `make` runs with the mutex held.
  uint32_t add(const void* communicator, const std::function<uint32_t()>& make);
  /// Removes an ended communicator. A communicator at the same address is then a new one.
  void remove(const void* communicator);

  std::mutex& mutex() {
    return mutex_;
  }
  /// Replaces the table in a forked child; the old one may be half-written.
  void startAnew();

 private:
  /// A slot of the cache of recent lookups. Its address is nullptr while it is written.
  struct Recent {
    std::atomic<const void*> communicator;
    std::atomic<uint32_t> number;
  };
  static constexpr size_t kRecent = 64;

  Recent& recentOf(const void* communicator);
  static void write(Recent& recent, const void* communicator, uint32_t number, const std::lock_guard<std::mutex>& lock);

  std::array<Recent, kRecent> recent_{};
  std::mutex mutex_;
  std::unordered_map<const void*, uint32_t> all_; ///< guarded by mutex_
};

} // namespace commtap
