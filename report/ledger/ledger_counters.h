// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

// The ledger's counters: every number that threads add to without a lock. publish() carries over additions during its
// copy of the ledger. A reset zeroes all counters. Each function below names all members of a record and visits its
// counters. A new member does not compile until it is named here.

/// A function of a counter.
template <typename Visit>
concept CounterVisitor = std::invocable < const Visit&,
        std::atomic<uint64_t>
& > ;

template <size_t kCount>
void forEachCounter(std::atomic<uint64_t> (&counters)[kCount], const CounterVisitor auto& visit) {
  for (std::atomic<uint64_t>& counter : counters) {
    visit(counter);
  }
}

void forEachCounter(LedgerNotSeen& record, const CounterVisitor auto& visit) {
  auto& [count, detail, reserved] = record;
  visit(count);
}

void forEachCounter(LedgerCost& record, const CounterVisitor auto& visit) {
  auto& [start_ns, spent_ns, index_bytes, thread_bytes] = record;
  forEachCounter(spent_ns, visit);
}

void forEachCounter(LedgerHeader& record, const CounterVisitor auto& visit) {
  // clang-format does not break lists of bindings.
  // clang-format off
  auto& [magic, version, header_size, check, end_check, exit, exit_code, pid, pid_start_ticks, started_at_ns, parent_pid, run_began_ns,
         ended_at_ns, rank, world_size, local_rank, attempt, run_id, name, host, boot_id, argv, torch_version,
         python_version, commtap_version, report_name, level, timing_every, timing_device, nccl, resets, signal_sent,
         signal_sent_at_ns, step, realtime_minus_steady, sections, not_seen, cost, steps_from, planned] = record;
  // clang-format on
  for (LedgerNotSeen& entry : not_seen) {
    forEachCounter(entry, visit);
  }
  forEachCounter(cost, visit);
  visit(sections[kLast].used); // a ring: all collectives ever written
}

void forEachCounter(LedgerGroup& record, const CounterVisitor auto& visit) {
  auto& [name, desc, backend, size, rank, first_rank, ranks_check, check, issued, dimension, reserved] = record;
  forEachCounter(issued, visit);
}

void forEachCounter(LedgerModule& record, const CounterVisitor auto& visit) {
  auto& [parent, component, class_name, flags, check, clean, calls] = record;
  forEachCounter(calls, visit);
}

void forEachCounter(LedgerParameter& record, const CounterVisitor auto& /*visit*/) {
  [[maybe_unused]] auto& [module, name, shape, local_shape, dtype, mesh, placements, requires_grad, check] = record;
}

void forEachCounter(LedgerDurations& record, const CounterVisitor auto& visit) {
  auto& [sum_ns, max_ns, min_ns_inverted, counts] = record;
  visit(sum_ns);
  visit(max_ns);
  visit(min_ns_inverted);
  forEachCounter(counts, visit);
}

void forEachCounter(LedgerTimes& record, const CounterVisitor auto& visit) {
  auto& [durations, bytes, row, check] = record;
  for (LedgerDurations& each : durations) {
    forEachCounter(each, visit);
  }
  visit(bytes);
}

void forEachCounter(LedgerCollective& record, const CounterVisitor auto& visit) {
  auto& [key, check, lowered, lane, times, count, bytes] = record;
  visit(count);
  visit(bytes);
}

void forEachCounter(LedgerOperation& record, const CounterVisitor auto& visit) {
  auto& [key, check, count] = record;
  visit(count);
}

void forEachCounter(LedgerCommunicator& record, const CounterVisitor auto& /*visit*/) {
  [[maybe_unused]] auto& [size, rank, group, reserved] = record;
}

void forEachCounter(LedgerNcclCall& record, const CounterVisitor auto& visit) {
  auto& [key, check, reserved, count, failed, bytes, captured] = record;
  visit(count);
  visit(failed);
  visit(bytes);
  visit(captured);
}

void forEachCounter(LedgerGraph& record, const CounterVisitor auto& visit) {
  auto& [launches] = record;
  visit(launches);
}

void forEachCounter(LedgerGraphCall& record, const CounterVisitor auto& /*visit*/) {
  [[maybe_unused]] auto& [graph, row, of_nccl, check, count, bytes] = record;
}

void forEachCounter(LedgerLane& record, const CounterVisitor auto& /*visit*/) {
  [[maybe_unused]] auto& [kind, reserved, group, check] = record;
}

void forEachCounter(LedgerStepLane& record, const CounterVisitor auto& visit) {
  auto& [count, bytes, running_ns, exposed_ns] = record;
  visit(count);
  visit(bytes);
  visit(running_ns);
  visit(exposed_ns);
}

void forEachCounter(LedgerStep& record, const CounterVisitor auto& visit) {
  auto& [first_step, steps, started_at_ns, ended_at_ns, forward_passes, backward_passes, training_steps, lanes] =
      record;
  visit(forward_passes);
  visit(backward_passes);
  visit(training_steps);
  for (LedgerStepLane& lane : lanes) {
    forEachCounter(lane, visit);
  }
}

/// An entry of the ring is written in place, not added to.
void forEachCounter(LedgerLast& record, const CounterVisitor auto& /*visit*/) {
  // clang-format does not break lists of bindings.
  // clang-format off
  [[maybe_unused]] auto& [number, sequence, bytes, issued_at_ns, started_at_ns, completed_at_ns, step, row, peer,
                          state] = record;
  // clang-format on
}

void forEachCounter(LedgerSequence& record, const CounterVisitor auto& visit) {
  auto& [group, part, check, reserved, sums] = record;
  forEachCounter(sums, visit);
}

void forEachCounter(LedgerMember& record, const CounterVisitor auto& visit) {
  auto& [key, check, reserved, count, bytes] = record;
  visit(count);
  visit(bytes);
}

void forEachCounter(LedgerSplitPeer& record, const CounterVisitor auto& visit) {
  auto& [bytes] = record;
  visit(bytes);
}

void forEachCounter(LedgerSplits& record, const CounterVisitor auto& visit) {
  auto& [key, check, first_peer, calls, imbalance_sum, imbalance_max, zero_peers] = record;
  visit(calls);
  visit(imbalance_sum);
  visit(imbalance_max);
  visit(zero_peers);
}

void forEachCounter(LedgerStall& record, const CounterVisitor auto& visit) {
  auto& [key, check, count, exposed_ns] = record;
  visit(count);
  visit(exposed_ns);
}

/// A record is written in place, not added to, and a reset leaves it: the call is still open.
void forEachCounter(LedgerOpenCall& record, const CounterVisitor auto& /*visit*/) {
  [[maybe_unused]] auto& [entered_at_ns, call, check, reserved] = record;
}

/// Raises a number to `value`, if it is lower. Any thread, without a lock.
void raiseTo(std::atomic<uint64_t>& highest, uint64_t value);

/// Adds a duration. Any thread, without a lock.
void addDuration(LedgerDurations& durations, uint64_t ns);

/// Returns the durations added so far. If other threads are adding, each number is a value that it had at some moment.
Durations durationsOf(const LedgerDurations& durations);

} // namespace commtap
