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

// A key has words(): its fields as numbers of 64 bits.

template <typename Words>
bool areEqual(const Words& one, const Words& other) {
  uint64_t differing = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < one.size(); ++i) {
    differing |= one[i] ^ other[i];
  }
  return differing == 0;
}

/// Each word has a factor of its own, so that they are multiplied at the same time and not one after the other.
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

/// Finds the row of a key without a lock: open addressing over row numbers. Filled by one thread at a time.
template <typename Row, size_t kSize>
class LedgerRowIndex {
  static_assert((kSize & (kSize - 1)) == 0);

 public:
  using Key = decltype(Row::key);

  bool exists() const {
    return slots_ != nullptr;
  }

  static constexpr uint64_t kBytes = kSize * sizeof(uint32_t);

  /// False if there is no memory for it.
  bool create() {
    slots_ = zeroedNumbers(kSize);
    return slots_ != nullptr;
  }

  /// nullptr if there is none. Part of every collective, so it is inlined there.
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
  ZeroedNumbers slots_; ///< row number + 1, 0 for free
};

} // namespace commtap
