// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

#include <cstdint>

namespace commtap {

/// Returns the time in ns of the ledger's clock. The clock never goes back and is read without a system call.
inline uint64_t steadyNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

/// Returns steadyNow() as of the kernel's last tick, up to 10 ms ago, at a fifth of its price.
inline uint64_t coarseNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

/// Returns the time in ns for which this thread has had a core. The clock of a budget: it stands still while the kernel
/// runs other threads. Read with a system call.
inline uint64_t threadNow() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace commtap
