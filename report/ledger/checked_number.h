// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace commtap {

inline constexpr uint32_t kNoIndex = 0xffffffffU;

namespace detail {

inline constexpr std::array<uint8_t, 256> kCrc8 = [] {
  std::array<uint8_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1U) ^ ((crc & 0x80U) != 0 ? 0x107U : 0U);
    }
    table[i] = static_cast<uint8_t>(crc);
  }
  return table;
}();

} // namespace detail

// A number that changes in a live ledger carries its own check, so that one atomic store changes both: 24 bits of value
// below a CRC-8 of them, which any change within one byte breaks. 0 stands for 0.

inline constexpr uint32_t kCheckedBits = 24;
inline constexpr uint32_t kMaxCheckedNumber = (1U << kCheckedBits) - 2; ///< the next one stands for kNoIndex

/// Returns `number` with its check; a number above kMaxCheckedNumber is taken for kNoIndex.
constexpr uint32_t checkedNumber(uint32_t number) {
  const uint32_t value = number > kMaxCheckedNumber ? kMaxCheckedNumber + 1 : number;
  uint8_t crc = 0;
  for (const uint32_t shift : {16U, 8U, 0U}) {
    crc = detail::kCrc8[crc ^ ((value >> shift) & 0xffU)];
  }
  return value | (uint32_t{crc} << kCheckedBits);
}

/// Returns the number without its check; kNoIndex for a number that stands for it. Does not verify the check.
constexpr uint32_t uncheckedNumber(uint32_t checked) {
  const uint32_t value = checked & ((1U << kCheckedBits) - 1);
  return value > kMaxCheckedNumber ? kNoIndex : value;
}

/// Returns the number; nullopt if it does not fit its check.
constexpr std::optional<uint32_t> numberIn(uint32_t checked) {
  const uint32_t number = uncheckedNumber(checked);
  return checkedNumber(number) == checked ? std::optional<uint32_t>(number) : std::nullopt;
}

} // namespace commtap
