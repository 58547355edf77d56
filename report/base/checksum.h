// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace commtap {

/// Detects accidental changes of numbers and texts. Each added number permutes the state, so two inputs that differ in
/// one number end in different states; value() keeps 32 bits of the state.
class Checksum {
 public:
  constexpr void add(uint64_t number) {
    state_ = (state_ ^ number) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 32U;
  }

  void add(std::string_view text) {
    add(text.size());
    for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, std::min(sizeof(word), text.size() - at));
      add(word);
    }
  }

  /// Returns the checksum, which is never 0.
  constexpr uint32_t value() const {
    const auto folded = static_cast<uint32_t>((state_ * 0xff51afd7ed558ccdU) >> 32U);
    return folded == 0 ? 1 : folded;
  }

 private:
  uint64_t state_ = 0x636f6d6d74617000U;
};

/// Returns the checksum of some numbers in their order.
template <typename... Numbers>
constexpr uint32_t checksumOf(Numbers... numbers) {
  Checksum sum;
  (sum.add(static_cast<uint64_t>(numbers)), ...);
  return sum.value();
}

} // namespace commtap
