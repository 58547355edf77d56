// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <map>
#include <vector>

#include "report/ledger_reader/ledger_reading.h"
#include "report/model/stretches.h"

namespace commtap {
namespace {

/// The records of one group, by part.
using Parts = std::map<uint32_t, const LedgerSequence*>;

/// Returns the sums up to that of the group's last collective, or up to the first part that the ledger does not have.
std::vector<int64_t> stretchesOf(const Parts& parts, uint64_t collectives) {
  std::vector<int64_t> stretches;
  const uint32_t end = collectives == 0 ? 0 : stretchOf(collectives) + 1;
  for (uint32_t stretch = 0; stretch < end; ++stretch) {
    const auto part = parts.find(stretch / kStretchesPerPart);
    if (part == parts.end()) {
      break;
    }
    const uint64_t sum = part->second->sums[stretch % kStretchesPerPart].load(std::memory_order_relaxed);
    stretches.push_back(static_cast<int64_t>(sum));
  }
  return stretches;
}

} // namespace

void readSequences(LedgerReading& reading) {
  std::map<uint32_t, Parts> groups;
  reading.records.forEachWhole<kSequences>(
      [&](const LedgerSequence& record, uint64_t /*number*/) { groups[record.group].emplace(record.part, &record); });
  for (const auto& [index, parts] : groups) {
    if (index < reading.report.groups.size()) {
      Group& group = reading.report.groups[index];
      group.stretches = stretchesOf(parts, group.collectives);
    }
  }
}

} // namespace commtap
