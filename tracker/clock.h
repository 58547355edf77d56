// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

#include <cstdint>

namespace commtap {

inline uint64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

/// What all times in the ledger are taken by: never set back, and read without a system call.
inline uint64_t steadyNow() {
  return nanoseconds(CLOCK_MONOTONIC);
}

} // namespace commtap
