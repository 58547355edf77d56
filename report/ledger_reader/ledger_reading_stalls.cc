// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>

#include "report/ledger_reader/ledger_reading.h"
#include "report/model/durations.h"

namespace commtap {
namespace {

/// Makes the stalls add up to the exposed time. The excess of the exposed time belongs to an unknown module: the table
/// of stalls was full, or a thread had not yet added it. Stalls exceed it only in a damaged file, or when the job sets
/// its counters to 0.
void balance(CollectiveTime& time) {
  const Durations& exposed = time.of(DurationKind::kExposed);
  Stall left{exposed.count, exposed.sum_ns};
  for (auto& [place, stall] : time.stalled_in) {
    stall = {std::min(stall.count, left.count), std::min(stall.exposed_ns, left.exposed_ns)};
    left = {left.count - stall.count, left.exposed_ns - stall.exposed_ns};
  }
  if (left.count > 0 || left.exposed_ns > 0) {
    addStall(time.stalled_in, StallPlace(), left);
  }
}

} // namespace

void readStalls(LedgerReading& reading) {
  reading.records.forEachWhole<kStalls>([&](const LedgerStall& ledger, uint64_t /*number*/) {
    const Stall stall{ledger.count.load(std::memory_order_relaxed), ledger.exposed_ns.load(std::memory_order_relaxed)};
    if (stall.count == 0 || ledger.key.row >= reading.rows.size() || reading.rows[ledger.key.row] == 0) {
      return; // the job has set the counters to 0, or has added the row after its section was read
    }
    CollectiveTime& time = reading.report.collectives[reading.rows[ledger.key.row] - 1].time;
    addStall(time.stalled_in, {reading.moduleName(ledger.key.module), phaseOf(ledger.key.phase)}, stall);
  });
  for (Collective& row : reading.report.collectives) {
    balance(row.time);
  }
}

} // namespace commtap
