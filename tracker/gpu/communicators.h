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

/// The number that each of NCCL's communicators has in the ledger, by its address. Finding one that was found before
/// takes no lock, unless two of them share a place.
class Communicators {
 public:
  /// kNoIndex if it was not added.
  uint32_t find(const void* communicator);
  /// Gives it the number that `make` returns, unless another thread has done so meanwhile; kNoIndex: none.
  uint32_t add(const void* communicator, const std::function<uint32_t()>& make);
  /// It ends: whatever has its address afterwards is another one.
  void remove(const void* communicator);

  std::mutex& mutex() {
    return mutex_;
  }
  /// In the child of a fork, where what the mutex guards may be half changed.
  void startAnew();

 private:
  /// One of those that were last looked for. While it is written its address is nullptr.
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
