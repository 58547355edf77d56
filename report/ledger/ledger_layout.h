// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "report/base/truncation_guard.h"
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

/// How much address space a ledger takes. The offsets of sections are the same in both: a small ledger leaves out the
/// end of each section.
enum class LedgerSize : uint8_t {
  kFull,
  kSmall, ///< for a process that `ulimit -v` leaves little
};

/// Which records and bytes a ledger of a size has.
struct LedgerExtent {
  std::array<uint64_t, kSectionCount> capacities{};        ///< in records (strings: bytes)
  std::array<MappedRange, kSectionCount + 1> all_ranges{}; ///< mapped; in order, with gaps between them
  size_t range_count = 0;

  constexpr std::span<const MappedRange> ranges() const {
    return {all_ranges.data(), range_count};
  }
  constexpr uint64_t mappedBytes() const {
    uint64_t bytes = 0;
    for (const MappedRange& range : ranges()) {
      bytes += range.size;
    }
    return bytes;
  }
};

/// A small ledger has the sixteenth part of each table that grows with the job, and the others whole.
inline constexpr uint64_t kSmallLedgerPart = 16;

constexpr LedgerExtent ledgerExtent(LedgerSize size) {
  LedgerExtent extent;
  extent.all_ranges[0] = {0, kLedgerLayout.offsets[0]};
  extent.range_count = 1;
  for (uint32_t id = 0; id < kSectionCount; ++id) {
    const bool grows = id != kLanes && id != kSteps && id != kLast && id != kOpenCalls;
    const uint64_t part = size == LedgerSize::kSmall && grows ? kSmallLedgerPart : 1;
    extent.capacities[id] = kLedgerCapacities[id] / part;
    const uint64_t bytes = roundUp(extent.capacities[id] * kLedgerRecordSizes[id], kLedgerPage);
    MappedRange& before = extent.all_ranges[extent.range_count - 1];
    if (before.offset + before.size == kLedgerLayout.offsets[id]) {
      before.size += bytes;
    } else {
      extent.all_ranges[extent.range_count++] = {kLedgerLayout.offsets[id], bytes};
    }
  }
  return extent;
}

inline constexpr LedgerExtent kFullLedger = ledgerExtent(LedgerSize::kFull);
inline constexpr LedgerExtent kSmallLedger = ledgerExtent(LedgerSize::kSmall);
static_assert(kFullLedger.ranges().size() == 1 && kFullLedger.mappedBytes() == kLedgerLayout.size);

constexpr const LedgerExtent& extentOf(LedgerSize size) {
  return size == LedgerSize::kFull ? kFullLedger : kSmallLedger;
}

} // namespace commtap
