// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/gpu/communicators.h"

#include <new>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Hashes the address without its low bits, which alignment keeps at 0.
Communicators::Recent& Communicators::recentOf(const void* communicator) {
  const auto address = reinterpret_cast<uintptr_t>(communicator);
  return recent_[((address >> 6U) ^ (address >> 12U) ^ (address >> 18U)) % kRecent];
}

void Communicators::write(
    Recent& recent,
    const void* communicator,
    uint32_t number,
    const std::lock_guard<std::mutex>& /*lock*/) {
  recent.communicator.store(nullptr, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  recent.number.store(number, std::memory_order_relaxed);
  recent.communicator.store(communicator, std::memory_order_release);
}

uint32_t Communicators::find(const void* communicator) {
  Recent& recent = recentOf(communicator);
  if (recent.communicator.load(std::memory_order_acquire) == communicator) {
    const uint32_t number = recent.number.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (recent.communicator.load(std::memory_order_relaxed) == communicator) {
      return number;
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = all_.find(communicator);
  if (known == all_.end()) {
    return kNoIndex;
  }
  write(recent, communicator, known->second, lock);
  return known->second;
}

uint32_t Communicators::add(const void* communicator, const std::function<uint32_t()>& make) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = all_.find(communicator);
  const uint32_t number = known != all_.end() ? known->second : make();
  if (number != kNoIndex) {
    all_[communicator] = number;
    write(recentOf(communicator), communicator, number, lock);
  }
  return number;
}

void Communicators::remove(const void* communicator) {
  const std::lock_guard<std::mutex> lock(mutex_);
  all_.erase(communicator);
  Recent& recent = recentOf(communicator);
  if (recent.communicator.load(std::memory_order_relaxed) == communicator) {
    write(recent, nullptr, kNoIndex, lock);
  }
}

void Communicators::startAnew() {
  new (this) Communicators();
}

} // namespace commtap
