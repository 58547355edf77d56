// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "report/base/zeroed_numbers.h"

namespace commtap {

// A key has words(): its fields as 64-bit numbers.

template <typename Words>
bool areEqual(const Words& one, const Words& other) {
  uint64_t differing = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < one.size(); ++i) {
    differing |= one[i] ^ other[i];
  }
  return differing == 0;
}

/// Multiplies each word by its own factor: the multiplications do not depend on each other.
template <typename Words>
size_t hashOf(const Words& words) {
  constexpr std::array<uint64_t, 4> kFactors = {
      0x9e3779b97f4a7c15U, 0xff51afd7ed558ccdU, 0xc4ceb9fe1a85ec53U, 0xbf58476d1ce4e5b9U};
  static_assert(std::tuple_size_v<Words> <= kFactors.size());
  uint64_t hash = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < words.size(); ++i) {
    hash ^= (words[i] ^ (words[i] >> 32U)) * kFactors[i];
  }
  return static_cast<size_t>(hash ^ (hash >> 32U));
}

/// Finds the row of a key without a lock: open addressing over row numbers. Only one thread at a time adds.
template <typename Row, size_t kSize>
class LedgerRowIndex {
  static_assert((kSize & (kSize - 1)) == 0);

 public:
  using Key = decltype(Row::key);

  bool exists() const {
    return slots_ != nullptr;
  }

  static constexpr uint64_t kBytes = kSize * sizeof(uint32_t);

  /// Returns false if there is no memory.
  bool create() {
    slots_ = zeroedNumbers(kSize);
    return slots_ != nullptr;
  }

  /// Returns nullptr if there is no such row. Inline: part of every collective.
  Row* find(const Key& key, Row* rows) const {
    const auto words = key.words();
    for (size_t slot = hashOf(words);; ++slot) {
      const uint32_t row = slots_[slot % kSize].load(std::memory_order_acquire);
      if (row == 0) {
        return nullptr;
      }
      if (areEqual(rows[row - 1].key.words(), words)) {
        return &rows[row - 1];
      }
    }
  }

  void add(const Key& key, uint32_t row) {
    size_t slot = hashOf(key.words());
    while (slots_[slot % kSize].load(std::memory_order_relaxed) != 0) {
      ++slot;
    }
    slots_[slot % kSize].store(row + 1, std::memory_order_release);
  }

 private:
  ZeroedNumbers slots_; ///< row number + 1; 0: free
};

} // namespace commtap
