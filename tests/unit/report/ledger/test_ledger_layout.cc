// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_layout.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a small ledger takes a fraction of the address space, and its sections begin where those of a full one do") {
  CHECK(kSmallLedger.mappedBytes() < 6U << 20U);
  CHECK(kSmallLedger.mappedBytes() * 10 < kFullLedger.mappedBytes());
  uint64_t end = 0;
  for (const MappedRange& range : kSmallLedger.ranges()) {
    CHECK(range.offset >= end);
    CHECK(range.offset % kLedgerPage == 0);
    CHECK(range.size % kLedgerPage == 0);
    end = range.offset + range.size;
  }
  CHECK(end <= kLedgerLayout.size);
  for (uint32_t id = 0; id < kSectionCount; ++id) {
    const uint64_t section_end = kLedgerLayout.offsets[id] + kSmallLedger.capacities[id] * kLedgerRecordSizes[id];
    bool inside = false;
    for (const MappedRange& range : kSmallLedger.ranges()) {
      inside = inside || (range.offset <= kLedgerLayout.offsets[id] && section_end <= range.offset + range.size);
    }
    CHECK(inside);
  }
}

TEST_CASE("the ring of the last collectives, the lanes and the steps are whole in a small ledger") {
  for (const LedgerSectionId id : {kLast, kLanes, kSteps}) {
    CHECK(kSmallLedger.capacities[id] == kLedgerCapacities[id]);
  }
}

} // namespace

} // namespace commtap
