// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_steps.h"

#include <algorithm>

namespace commtap {
namespace {

constexpr uint64_t kFirstJoined = 1 + kExactSteps; ///< record 0 is the open step

template <typename Visit>
void forEachSum(LedgerStep& record, LedgerStep& other, const Visit& visit) {
  visit(record.forward_passes, other.forward_passes);
  visit(record.backward_passes, other.backward_passes);
  for (uint32_t i = 0; i < kLaneCount; ++i) {
    visit(record.lanes[i].count, other.lanes[i].count);
    visit(record.lanes[i].bytes, other.lanes[i].bytes);
    visit(record.lanes[i].running_ns, other.lanes[i].running_ns);
    visit(record.lanes[i].blocked_ns, other.lanes[i].blocked_ns);
  }
}

/// `into` gets what `from` has, which is left with nothing: what a thread adds to `from` at the same time stays there.
void moveSums(LedgerStep& from, LedgerStep& into) {
  forEachSum(into, from, [](std::atomic<uint64_t>& to, std::atomic<uint64_t>& source) {
    to.fetch_add(source.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  });
}

/// A step, or several, that directly follow those of `into`.
void append(LedgerStep& into, LedgerStep& next) {
  into.ended_at_ns.store(next.ended_at_ns, std::memory_order_relaxed);
  moveSums(next, into);
  into.steps.fetch_add(next.steps, std::memory_order_relaxed);
}

void moveWhole(LedgerStep& from, LedgerStep& into) {
  into.first_step.store(from.first_step, std::memory_order_relaxed);
  into.steps.store(from.steps, std::memory_order_relaxed);
  into.started_at_ns.store(from.started_at_ns, std::memory_order_relaxed);
  into.ended_at_ns.store(from.ended_at_ns, std::memory_order_relaxed);
  moveSums(from, into);
}

/// How many steps the records after the exact ones hold, but for the last.
uint64_t stride(std::span<LedgerStep> records, uint64_t used) {
  return used > kFirstJoined ? std::max<uint64_t>(records[kFirstJoined].steps, 1) : 1;
}

} // namespace

void clearStep(LedgerStep& record) {
  record.first_step = record.steps = record.started_at_ns = record.ended_at_ns = 0;
  forEachSum(record, record, [](std::atomic<uint64_t>& sum, std::atomic<uint64_t>&) { sum = 0; });
}

uint64_t closeStep(std::span<LedgerStep> records, uint64_t used, uint64_t number, uint64_t now_ns) {
  LedgerStep& open = records[0];
  open.ended_at_ns = now_ns;
  open.steps = 1;
  LedgerStep& last = records[used - 1];
  const bool joins = used > kFirstJoined && last.steps < stride(records, used);
  if (joins) {
    append(last, open);
  } else {
    clearStep(records[used]);
    moveWhole(open, records[used]);
    ++used;
  }
  open.first_step = number + 1;
  open.steps = 0;
  open.started_at_ns = now_ns;
  open.ended_at_ns = 0;
  return used;
}

uint64_t joinSteps(std::span<LedgerStep> records, uint64_t used) {
  uint64_t to = kFirstJoined;
  for (uint64_t from = kFirstJoined; from < used; from += 2, ++to) {
    if (from != to) {
      clearStep(records[to]);
      moveWhole(records[from], records[to]);
    }
    if (from + 1 < used) {
      append(records[to], records[from + 1]);
    }
  }
  return to;
}

} // namespace commtap
