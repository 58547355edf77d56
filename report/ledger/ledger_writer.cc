// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <algorithm>
#include <array>
#include <new>

#include "report/ledger/ledger_checks.h"

namespace commtap {

std::unique_ptr<LedgerWriter> LedgerWriter::create(LedgerSize size) {
  std::unique_ptr<LedgerWriter> writer(new (std::nothrow) LedgerWriter());
  return writer && writer->map(size) && writer->initialize() ? std::move(writer) : nullptr;
}

/// Makes an empty ledger of zeroed memory. Returns false if there is no memory for the index of rows.
bool LedgerWriter::initialize() {
  {
    const LedgerLock lock(appending());
    writeHeader(lock);
    if (!collective_rows_.create(lock)) {
      return false;
    }
    commit(kStrings, sizeof(LedgerString), lock); // the empty string: length 0 at offset 0
    indexStrings(lock);
    commit(kSteps, 1, lock);
    restartSequences(lock);
  }
  addModule(kNoIndex, "Global", "", 0);
  return true;
}

void LedgerWriter::zeroCounters() {
  const LedgerLock lock(appending());
  for (LedgerNotSeen& entry : header().not_seen) {
    entry.detail.store(0);
  }
  changeHeader(lock, [](LedgerHeader& head) { ++head.resets; });
  zeroAllCounters(lock);
  clearLast();
  restartSteps(lock);
}

void LedgerWriter::repairInForkedChild() {
  const LedgerLock lock(appending());
  keepPublishedInForkedChild();
  indexStrings(lock);
  collective_rows_.completeIndex(lock);
  members_.completeIndex(lock);
  stalls_.completeIndex(lock);
  split_rows_.completeIndex(lock);
  operation_rows_.completeIndex(lock);
  nccl_rows_.completeIndex(lock);
}

void LedgerWriter::resetInForkedChild() {
  if (!leaveParentsMemory()) {
    initialize(); // the names are lost, but the parent's ledger is left alone
  }
  header().exit.store(static_cast<uint32_t>(ExitKind::kRunning));
  leaveAllCalls();
  zeroCounters();
  header().resets = 0; // no other thread counts here
}

namespace {

constexpr uint64_t kFirstJoined = 1 + kExactSteps; ///< record 0 is the running step

/// The step's counters, in the same order for each step.
using Sums = std::array<std::atomic<uint64_t>*, sizeof(LedgerStep) / sizeof(uint64_t)>;

size_t sumsOf(LedgerStep& record, Sums& sums) {
  size_t count = 0;
  forEachCounter(record, [&](std::atomic<uint64_t>& sum) { sums[count++] = &sum; });
  return count;
}

/// Adds the sums of `from` to `into` and leaves 0: what a thread adds to `from` at the same time stays there.
void moveSums(LedgerStep& from, LedgerStep& into) {
  Sums sources;
  Sums targets;
  const size_t count = sumsOf(from, sources);
  sumsOf(into, targets);
  for (size_t i = 0; i < count; ++i) {
    targets[i]->fetch_add(sources[i]->exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

/// Appends the steps of `next`, which directly follow those of `into`.
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

/// Returns the number of steps in each record after the exact ones, except the last record.
uint64_t stride(std::span<LedgerStep> records, uint64_t used) {
  return used > kFirstJoined ? std::max<uint64_t>(records[kFirstJoined].steps, 1) : 1;
}

} // namespace

void LedgerWriter::signSeen(StepSign sign) {
  if (sign == StepSign::kOptimizer) {
    stepTrains();
  }
  if (header().step.load(std::memory_order_relaxed) == 0) {
    header().steps_from.store(1 + static_cast<uint32_t>(sign), std::memory_order_relaxed);
  }
}

void LedgerWriter::noStepTrained() {
  const LedgerLock lock(appending());
  for (LedgerStep& step : std::span(records<kSteps>(), used(kSteps, lock)).subspan(1)) {
    step.training_steps = 0;
  }
}

void LedgerWriter::closeStep(uint64_t now_ns, StepSign sign) {
  const LedgerLock lock(appending());
  const std::span<LedgerStep> all(records<kSteps>(), kLedgerCapacities[kSteps]);
  if (used(kSteps, lock) == all.size()) {
    commit(kSteps, joinSteps(all, all.size()), lock);
  }
  std::atomic<uint64_t>& step = header().step;
  const uint64_t number = step.load(std::memory_order_relaxed);
  if (reserve(kSteps, 1, lock) != kNoIndex) {
    if (sign == StepSign::kMark) {
      stepTrains();
    }
    commit(kSteps, commtap::closeStep(all, used(kSteps, lock), number, now_ns), lock);
    step.store(number + 1, std::memory_order_relaxed);
    header().steps_from.store(1 + static_cast<uint32_t>(sign), std::memory_order_relaxed);
  } else { // the disk is full: the running step goes on
    notSeen(NotSeen::kStepsFull, "", 1, lock);
  }
}

void LedgerWriter::restartSteps(const LedgerLock& lock) {
  openStep().first_step = 0;
  commit(kSteps, 1, lock);
  header().step = 0;
  header().steps_from = 0;
}

void clearStep(LedgerStep& record) {
  record.first_step = record.steps = record.started_at_ns = record.ended_at_ns = 0;
  forEachCounter(record, [](std::atomic<uint64_t>& sum) { sum = 0; });
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
