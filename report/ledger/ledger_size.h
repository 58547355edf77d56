// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "report/base/truncation_guard.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

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
