// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// The page size of the file, and of what counts as memory.
inline constexpr uint64_t kLedgerPage = 4096;

/// Returns the smallest multiple of `step` that is not less than `value`.
constexpr uint64_t roundUp(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

/// A section of a ledger that this version writes.
template <typename RecordType>
struct LedgerTable {
  using Record = RecordType;
  LedgerSectionId id;
  uint64_t capacity; ///< in records
};

/// The sections in the order of the file. A reader takes the capacities from the file's header. A page exists only once
/// it is written: together the sections take about 76 MiB of address space.
inline constexpr std::tuple kLedgerTables = {
    LedgerTable<std::byte>{kStrings, 16U << 20U},
    LedgerTable<uint32_t>{kRanks, 2U << 20U},
    LedgerTable<LedgerGroup>{kGroups, 8U << 10U},
    LedgerTable<LedgerModule>{kModules, 128U << 10U},
    LedgerTable<LedgerParameter>{kParameters, 256U << 10U},
    LedgerTable<LedgerTimes>{kTimes, 16U << 10U},
    LedgerTable<LedgerCollective>{kCollectives, 64U << 10U},
    LedgerTable<LedgerOperation>{kOperations, 64U << 10U},
    LedgerTable<LedgerCommunicator>{kCommunicators, 4U << 10U},
    LedgerTable<LedgerNcclCall>{kNcclCalls, 16U << 10U},
    LedgerTable<LedgerGraph>{kGraphs, 4U << 10U},
    LedgerTable<LedgerGraphCall>{kGraphCalls, 64U << 10U},
    LedgerTable<LedgerLane>{kLanes, kLaneCount},
    LedgerTable<LedgerStep>{kSteps, 512},
    LedgerTable<LedgerLast>{kLast, 2048},
    LedgerTable<LedgerSequence>{kSequences, 8U << 10U},
    LedgerTable<LedgerMember>{kMembers, 16U << 10U},
    LedgerTable<LedgerSplitPeer>{kSplitPeers, 256U << 10U},
    LedgerTable<LedgerSplits>{kSplits, 16U << 10U},
    LedgerTable<LedgerStall>{kStalls, 16U << 10U},
    LedgerTable<LedgerOpenCall>{kOpenCalls, kMostOpenCalls},
};
static_assert(std::tuple_size_v<decltype(kLedgerTables)> == kSectionCount, "a section is missing in kLedgerTables");
static_assert(
    std::apply(
        [](const auto&... table) {
          uint32_t next = 0;
          return ((table.id == next++) && ...);
        },
        kLedgerTables),
    "kLedgerTables is in the order of LedgerSectionId");

static_assert(
    std::get<kTimes>(kLedgerTables).capacity < UINT16_MAX && kLaneCount < UINT16_MAX,
    "LedgerCollective names its times and its lane in 16 bits");

/// The type of a section's records.
template <LedgerSectionId kId>
using LedgerRecord = typename std::tuple_element_t<kId, std::remove_const_t<decltype(kLedgerTables)>>::Record;

/// Bytes of one record, by section.
inline constexpr auto kLedgerRecordSizes = std::apply(
    [](const auto&... table) {
      return std::array<uint32_t, kSectionCount>{sizeof(typename std::decay_t<decltype(table)>::Record)...};
    },
    kLedgerTables);

/// Records that fit, by section.
inline constexpr auto kLedgerCapacities = std::apply(
    [](const auto&... table) { return std::array<uint64_t, kSectionCount>{table.capacity...}; },
    kLedgerTables);

struct LedgerLayout {
  std::array<uint64_t, kSectionCount> offsets{}; ///< bytes from the start
  uint64_t size = 0;                             ///< bytes
};

/// The layout of a ledger that this version writes. A constant: counting does not read offsets from the header.
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
