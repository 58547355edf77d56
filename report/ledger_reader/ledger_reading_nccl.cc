// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_reading.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/model/nccl.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// Adds the amounts of `call` to the equal entry of `calls`, or appends `call`.
template <typename Call>
void add(std::vector<Call>& calls, Call call) {
  const uint64_t count = std::exchange(call.count, 0);
  const uint64_t bytes = std::exchange(call.bytes, 0);
  for (Call& known : calls) {
    Call key = known;
    key.count = key.bytes = 0;
    if (key == call) {
      addSaturating(known.count, count);
      addSaturating(known.bytes, bytes);
      return;
    }
  }
  call.count = count;
  call.bytes = bytes;
  calls.push_back(std::move(call));
}

} // namespace

void addGraphCall(std::vector<GraphCollective>& calls, GraphCollective call) {
  add(calls, std::move(call));
}

void addGraphCall(std::vector<GraphNcclCall>& calls, GraphNcclCall call) {
  add(calls, std::move(call));
}

namespace {

NcclCommunicator communicatorOf(const LedgerReading& reading, const LedgerCommunicator& ledger) {
  NcclCommunicator read;
  if (const uint32_t size = ledger.size.load(std::memory_order_acquire); size > 0) {
    read.size = size;
    read.rank = ledger.rank.load(std::memory_order_relaxed);
  }
  const uint32_t group = ledger.group.load(std::memory_order_relaxed);
  read.group = group == kNoIndex ? "" : reading.groupName(group);
  return read;
}

NcclCall ncclCallOf(LedgerReading& reading, const LedgerNcclCall& ledger) {
  LedgerRecords& records = reading.records;
  const NcclKey& key = ledger.key;
  NcclCall call;
  call.function = records.text(key.function);
  if (key.communicator < records.count(kCommunicators)) {
    call.communicator = key.communicator;
  }
  call.op = records.text(key.op);
  call.group = key.group == kNoIndex ? "" : reading.groupName(key.group);
  call.module = reading.moduleName(key.module);
  call.phase = phaseOf(key.phase);
  call.dtype = ncclDatatypeName(key.datatype);
  call.source = key.told_by_plugin != 0 ? NcclSource::kPlugin : NcclSource::kCall;
  if (call.source == NcclSource::kCall) {
    call.in_group = key.in_group != 0;
  }
  call.count = ledger.count.load(std::memory_order_relaxed);
  call.failed = ledger.failed.load(std::memory_order_relaxed);
  call.bytes = ledger.bytes.load(std::memory_order_relaxed);
  call.captured = ledger.captured.load(std::memory_order_relaxed);
  return call;
}

/// The fields of an open call, read one after the other while the process may change them.
struct SeenOpenCall {
  explicit SeenOpenCall(const LedgerOpenCall& ledger)
      : entered_at_ns(ledger.entered_at_ns.load(std::memory_order_acquire)),
        call(ledger.call.load(std::memory_order_acquire)),
        check(ledger.check.load(std::memory_order_acquire)) {}

  uint64_t entered_at_ns;
  uint64_t call;
  uint64_t check;

  bool operator==(const SeenOpenCall&) const = default;
};

/// Adds the call unless the record is free, is being written, or changes at this moment.
void addOpenCall(LedgerReading& reading, uint64_t number, std::vector<EnteredCall>& open) {
  constexpr uint64_t kBeingWritten = 1;
  const LedgerOpenCall& ledger = reading.records.at<kOpenCalls>(number);
  const SeenOpenCall seen(ledger);
  if (seen.entered_at_ns <= kBeingWritten || seen != SeenOpenCall(ledger)) {
    return;
  }
  if (seen.check != checkOfOpenCall(number, seen.entered_at_ns, seen.call)) {
    reading.records.damaged("a call that had not returned is damaged and was left out");
    return;
  }
  EnteredCall read;
  read.function = reading.records.text(static_cast<StringId>(seen.call & UINT32_MAX));
  const uint32_t group = static_cast<uint32_t>(seen.call >> 32U);
  read.group = group == kNoIndex ? "" : reading.groupName(group);
  read.entered_at_ns = reading.realtime(seen.entered_at_ns);
  open.push_back(std::move(read));
}

} // namespace

void readNccl(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  const uint32_t version = records.header().nccl.load(std::memory_order_relaxed);
  if (version == 0) {
    return;
  }
  Nccl& nccl = reading.report.nccl.emplace();
  nccl.version = ncclVersionText(version);
  for (uint64_t i = 0; i < records.count(kCommunicators); ++i) {
    nccl.communicators.push_back(communicatorOf(reading, records.at<kCommunicators>(i)));
  }
  records.forEachWhole<kNcclCalls>([&](const LedgerNcclCall& ledger, uint64_t /*number*/) {
    if (NcclCall call = ncclCallOf(reading, ledger); call.count > 0 || call.captured > 0) {
      nccl.calls.push_back(std::move(call));
    }
  });
  mergeEqualCalls(nccl.calls);
}

void readOpenCalls(LedgerReading& reading) {
  std::vector<EnteredCall>& open = reading.report.open_calls;
  for (uint64_t i = 0; i < reading.records.count(kOpenCalls); ++i) {
    addOpenCall(reading, i, open);
  }
  std::sort(open.begin(), open.end(), [](const EnteredCall& a, const EnteredCall& b) {
    return a.entered_at_ns < b.entered_at_ns;
  });
}

void readCudaGraphs(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  std::vector<CudaGraph>& graphs = reading.report.cuda_graphs;
  graphs.resize(records.count(kGraphs));
  for (uint64_t i = 0; i < graphs.size(); ++i) {
    graphs[i].launches = records.at<kGraphs>(i).launches.load(std::memory_order_relaxed);
  }
  records.forEachWhole<kGraphCalls>([&](const LedgerGraphCall& call, uint64_t /*number*/) {
    if (call.graph >= graphs.size()) {
      return;
    }
    CudaGraph& graph = graphs[call.graph];
    if (call.of_nccl != 0 && call.row < records.count(kNcclCalls) && records.isWhole<kNcclCalls>(call.row)) {
      const NcclCall row = ncclCallOf(reading, records.at<kNcclCalls>(call.row));
      addGraphCall(graph.nccl_calls, {row.function, row.communicator, call.count, call.bytes});
    } else if (call.of_nccl == 0 && call.row < records.count(kCollectives) && records.isWhole<kCollectives>(call.row)) {
      const Collective row = collectiveOf(reading, records.at<kCollectives>(call.row));
      addGraphCall(graph.collectives, {row.module, row.phase, row.op, row.kind, row.group, call.count, call.bytes});
    }
  });
}

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
  step.closure_passes = ledger.closure_passes;
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
