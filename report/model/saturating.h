// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>

namespace commtap {

/// Adds to a sum that stays at the type's largest number once it would exceed it. The reports of a job can hold any
/// numbers.
inline void addSaturating(uint64_t& sum, uint64_t amount) {
  if (__builtin_add_overflow(sum, amount, &sum)) {
    sum = UINT64_MAX;
  }
}
inline void addSaturating(int64_t& sum, int64_t amount) {
  if (__builtin_add_overflow(sum, amount, &sum)) {
    sum = INT64_MAX;
  }
}
inline void addSaturating(double& sum, double amount) {
  sum += amount;
}

/// Returns the product, or the type's largest number if the product would exceed it.
template <typename Integer>
Integer productSaturating(Integer a, Integer b) {
  Integer product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Integer>::max() : product;
}

} // namespace commtap
