// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Of the file, and of what is counted as memory.
inline constexpr uint64_t kLedgerPage = 4096;

/// The next multiple of `step`.
constexpr uint64_t roundUp(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

/// Bytes of a record of each section; of strings, a byte.
inline constexpr std::array<uint32_t, kSectionCount> kLedgerRecordSizes = {
    1,
    sizeof(uint32_t),
    sizeof(LedgerGroup),
    sizeof(LedgerModule),
    sizeof(LedgerParameter),
    sizeof(LedgerTimes),
    sizeof(LedgerCollective),
    sizeof(LedgerOperation),
    sizeof(LedgerCommunicator),
    sizeof(LedgerNcclCall),
    sizeof(LedgerGraph),
    sizeof(LedgerGraphCall),
    sizeof(LedgerLane),
    sizeof(LedgerStep),
    sizeof(LedgerLast),
};

/// Records that a section has room for in a ledger that is written; a reader goes by the header. A page exists only
/// once it is written: together these are about 70 MiB of address space.
inline constexpr std::array<uint64_t, kSectionCount> kLedgerCapacities = {
    16U << 20U, // bytes
    2U << 20U,
    8U << 10U,
    128U << 10U,
    256U << 10U,
    16U << 10U,
    64U << 10U,
    64U << 10U,
    4U << 10U,
    16U << 10U,
    4U << 10U,
    64U << 10U,
    kLaneCount,
    512,
    2048,
};

struct LedgerLayout {
  std::array<uint64_t, kSectionCount> offsets{}; ///< bytes from the start
  uint64_t size = 0;                             ///< bytes
};

/// Of a ledger that is written. A constant, so that whoever counts need not look it up.
inline constexpr LedgerLayout kLedgerLayout = [] {
  LedgerLayout layout;
  layout.size = roundUp(sizeof(LedgerHeader), kLedgerPage);
  for (size_t i = 0; i < kSectionCount; ++i) {
    layout.offsets[i] = layout.size;
    layout.size += roundUp(kLedgerCapacities[i] * kLedgerRecordSizes[i], kLedgerPage);
  }
  return layout;
}();

} // namespace commtap
