// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "report/ledger_reader/ledger_reading.h"

namespace commtap {
namespace {

std::optional<uint64_t> realtimeUnlessZero(const LedgerReading& reading, uint64_t steady_ns) {
  return steady_ns == 0 ? std::nullopt : std::optional<uint64_t>(reading.realtime(steady_ns));
}

/// Returns the kind and group of a lane; those of none for an unknown or damaged one.
LedgerLane laneOf(LedgerReading& reading, uint32_t lane) {
  const bool known = lane < reading.records.count(kLanes) && reading.records.isWhole<kLanes>(lane);
  return known ? reading.records.at<kLanes>(lane) : LedgerLane{Kind::kOther, {}, kNoIndex, 0};
}

Step stepOf(LedgerReading& reading, const LedgerStep& ledger) {
  Step step{
      ledger.first_step,
      ledger.steps,
      reading.realtime(ledger.started_at_ns),
      realtimeUnlessZero(reading, ledger.ended_at_ns),
      ledger.forward_passes,
      ledger.backward_passes,
      {}};
  if (const uint64_t training = ledger.training_steps; training > 0) {
    step.training_steps = std::min<uint64_t>(training, std::max<uint64_t>(ledger.steps, 1));
  }
  for (uint32_t i = 0; i < kLaneCount; ++i) {
    const uint64_t count = ledger.lanes[i].count.load(std::memory_order_relaxed);
    const uint64_t running_ns = ledger.lanes[i].running_ns.load(std::memory_order_relaxed);
    const uint64_t exposed_ns = ledger.lanes[i].exposed_ns.load(std::memory_order_relaxed);
    if (count > 0 || running_ns > 0 || exposed_ns > 0) { // issued here, or in an earlier step and completed here
      const LedgerLane lane = laneOf(reading, i);
      const std::string group(reading.groupName(lane.group));
      step.collectives.push_back({kindOf(lane.kind), group, count, ledger.lanes[i].bytes, running_ns, exposed_ns});
    }
  }
  return step;
}

/// Rows that earlier ones of the last collectives have named, by number.
using NamedRows = std::unordered_map<uint32_t, Collective>;

void setRow(LedgerReading& reading, uint32_t number, NamedRows& rows, LastCollective& last) {
  if (number >= reading.records.count(kCollectives) || !reading.records.isWhole<kCollectives>(number)) {
    last.group = last.module = last.issued_in = last.op = "?";
    return;
  }
  const auto [known, is_new] = rows.try_emplace(number);
  if (is_new) {
    known->second = collectiveOf(reading, reading.records.at<kCollectives>(number));
  }
  const Collective& row = known->second;
  last.group = row.group;
  last.module = row.module;
  last.issued_in = row.issued_in;
  last.phase = row.phase;
  last.op = row.op;
  last.kind = row.kind;
  last.dtype = row.dtype;
  last.reduce_op = row.reduce_op;
}

LastCollective lastOf(LedgerReading& reading, const LedgerLast& ledger, NamedRows& rows) {
  LastCollective last;
  setRow(reading, ledger.row, rows, last);
  last.number = ledger.number.load(std::memory_order_relaxed);
  last.sequence = ledger.sequence;
  last.step = ledger.step;
  last.bytes = ledger.bytes;
  if (ledger.peer >= 0) {
    (hasRoot(last.kind) ? last.root : last.peer) = ledger.peer;
  }
  const uint32_t state = ledger.state.load(std::memory_order_relaxed);
  last.state = state < kLastStateCount ? static_cast<LastState>(state) : LastState::kIssued;
  last.issued_at_ns = reading.realtime(ledger.issued_at_ns);
  last.started_at_ns = realtimeUnlessZero(reading, ledger.started_at_ns);
  last.completed_at_ns = realtimeUnlessZero(reading, ledger.completed_at_ns);
  return last;
}

} // namespace

void readForwards(LedgerReading& reading) {
  for (uint64_t i = 0; i < reading.records.count(kSteps); ++i) {
    const LedgerStep& step = reading.records.at<kSteps>(i);
    reading.has_forward |= step.forward_passes.load(std::memory_order_relaxed) > 0;
  }
}

/// The running step is record 0 in the ledger, and the last step in the report.
void readSteps(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  std::vector<Step>& steps = reading.report.steps;
  for (uint64_t i = 1; i < records.count(kSteps); ++i) {
    steps.push_back(stepOf(reading, records.at<kSteps>(i)));
  }
  uint64_t next = 0;
  for (size_t i = 0; i < steps.size(); next += steps[i].steps, ++i) {
    if (steps[i].first_step != next) { // the process was killed while it joined records
      records.damaged("the steps do not follow each other; those after the gap were left out");
      steps.resize(i);
      break;
    }
  }
  if (records.count(kSteps) > 0) {
    steps.push_back(stepOf(reading, records.at<kSteps>(0)));
    steps.back().steps = 1;
  }
}

void readLast(LedgerReading& reading) {
  std::vector<LastCollective>& all = reading.report.last;
  NamedRows rows;
  for (uint64_t i = 0; i < reading.records.count(kLast); ++i) {
    const LedgerLast& ledger = reading.records.at<kLast>(i);
    if (ledger.number.load(std::memory_order_acquire) != 0) {
      all.push_back(lastOf(reading, ledger, rows));
    }
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
}

} // namespace commtap
