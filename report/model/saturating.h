// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace commtap {

/// Adds to a sum that stays at UINT64_MAX once it would exceed it. The reports of a job can hold any numbers.
inline void addSaturating(uint64_t& sum, uint64_t amount) {
  if (__builtin_add_overflow(sum, amount, &sum)) {
    sum = UINT64_MAX;
  }
}
inline void addSaturating(double& sum, double amount) {
  sum += amount;
}

} // namespace commtap
