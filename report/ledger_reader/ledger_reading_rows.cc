// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/ledger/ledger_checks.h"
#include "report/ledger_reader/ledger_reading.h"
#include "report/model/durations.h"
#include "report/model/model.h"
#include "report/model/saturating.h"
#include "report/model/splits.h"

namespace commtap {
namespace {

void add(Collective& row, Collective&& other) {
  addSaturating(row.count, other.count);
  addSaturating(row.bytes, other.bytes);
  row.bus_bytes += other.bus_bytes;
  row.time += other.time;
  for (const auto& [from_bytes, count] : other.sizes) {
    addSaturating(row.sizes[from_bytes], count);
  }
  for (std::string& op : other.lowered) {
    if (std::find(row.lowered.begin(), row.lowered.end(), op) == row.lowered.end()) {
      row.lowered.push_back(std::move(op));
    }
  }
}

/// Each module's position in the order of names. Modules that share a name share the position.
class ModuleOrder {
 public:
  explicit ModuleOrder(const std::vector<Module>& modules) : positions_(std::max<size_t>(modules.size(), 1)) {
    std::vector<uint32_t> by_name(modules.size());
    std::iota(by_name.begin(), by_name.end(), 0);
    std::sort(
        by_name.begin(), by_name.end(), [&](uint32_t a, uint32_t b) { return modules[a].name < modules[b].name; });
    for (size_t i = 1; i < by_name.size(); ++i) {
      const uint32_t before = by_name[i - 1];
      const bool is_same = modules[by_name[i]].name == modules[before].name;
      positions_[by_name[i]] = positions_[before] + (is_same ? 0 : 1);
    }
  }

  uint32_t of(uint32_t module) const {
    return positions_[module < positions_.size() ? module : kGlobalModule];
  }

 private:
  std::vector<uint32_t> positions_; ///< by id; never empty
};

/// Calls visit(record, is_new) for each record of a section with a count. The records of one row come together;
/// `is_new` is true for the first of them. Rows are equal if their modules' positions and their keyOf() are.
template <LedgerSectionId kId, typename KeyOf, typename Visit>
void forEachInOrder(LedgerReading& reading, const ModuleOrder& modules, KeyOf keyOf, Visit visit) {
  using Record = LedgerRecord<kId>;
  std::vector<std::pair<uint32_t, const Record*>> order;
  order.reserve(reading.reservable(kId));
  reading.records.template forEachWhole<kId>([&](const Record& each, uint64_t /*number*/) {
    if (each.count.load(std::memory_order_relaxed) > 0) {
      order.emplace_back(modules.of(each.key.module), &each);
    }
  });
  // Compares positions first: they differ for most rows, so their texts are rarely compared.
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : keyOf(*a.second) < keyOf(*b.second);
  });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_same =
        i > 0 && order[i].first == order[i - 1].first && keyOf(*order[i].second) == keyOf(*order[i - 1].second);
    visit(*order[i].second, !is_same);
  }
}

AsyncOp asyncOf(AsyncOp async_op) {
  return async_op <= AsyncOp::kUnknown ? async_op : AsyncOp::kUnknown;
}

bool isSetup(const LedgerReading& reading, const CollectiveKey& key) {
  return key.setup != 0 && reading.has_forward;
}

CollectiveTime timeOf(const LedgerReading& reading, const LedgerCollective& row) {
  CollectiveTime time;
  const auto index = static_cast<size_t>(&row - &reading.records.at<kCollectives>(0));
  const uint32_t number = index < reading.times.size() ? reading.times[index] : 0;
  if (number == 0) {
    return time;
  }
  const LedgerTimes& ledger = reading.records.at<kTimes>(number - 1);
  for (size_t i = 0; i < time.durations.size(); ++i) {
    time.durations[i] = durationsOf(ledger.durations[i]);
  }
  time.bytes = ledger.bytes.load(std::memory_order_relaxed);
  return time;
}

} // namespace

void readTimes(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  reading.times.assign(records.count(kCollectives), 0);
  records.forEachWhole<kTimes>([&](const LedgerTimes& times, uint64_t number) {
    if (times.row < reading.times.size()) { // else the process added the row after it was asked for the rows
      reading.times[times.row] = static_cast<uint32_t>(number + 1);
    }
  });
}

Collective collectiveOf(LedgerReading& reading, const LedgerCollective& ledger) {
  LedgerRecords& records = reading.records;
  const CollectiveKey& key = ledger.key;
  Collective row;
  row.module = reading.moduleName(key.module);
  row.issued_in = reading.moduleName(key.issued_in);
  row.phase = phaseOf(key.phase);
  row.op = records.text(key.op);
  row.kind = kindOf(key.kind);
  row.group = reading.groupName(key.group);
  row.dtype = records.text(key.dtype);
  row.reduce_op = records.text(key.reduce_op);
  row.async_op = asyncOf(key.async_op);
  row.compiled = key.compiled != 0;
  row.setup = isSetup(reading, key);
  row.label = records.text(key.label);
  for (const auto& lowered : ledger.lowered) {
    if (const StringId id = lowered.load(std::memory_order_relaxed); id != 0) {
      row.lowered.push_back(records.text(id));
    }
  }
  row.count = ledger.count.load(std::memory_order_relaxed);
  row.bytes = ledger.bytes.load(std::memory_order_relaxed);
  const bool known = key.group < reading.report.groups.size();
  const uint32_t group_size = known ? reading.report.groups[key.group].size : 0;
  row.bus_bytes = busBytes(row.kind, row.bytes, group_size);
  row.time = timeOf(reading, ledger);
  row.time.bus_bytes = busBytes(row.kind, row.time.bytes, group_size);
  row.sizes[sizeClassStart(std::min<uint8_t>(key.size_class, kMaxSizeClass))] = row.count;
  return row;
}

void readCollectives(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  std::vector<Collective>& rows = reading.report.collectives;
  rows.reserve(reading.reservable(kCollectives));
  reading.rows.assign(records.count(kCollectives), 0);
  const ModuleOrder modules(reading.report.modules);
  const auto keyOf = [&](const LedgerCollective& ledger) {
    const CollectiveKey& key = ledger.key;
    return std::tuple(
        phaseOf(key.phase),
        records.textView(key.op),
        kindOf(key.kind),
        reading.groupName(key.group),
        records.textView(key.dtype),
        records.textView(key.reduce_op),
        asyncOf(key.async_op),
        modules.of(key.issued_in),
        records.textView(key.label),
        key.compiled != 0,
        isSetup(reading, key));
  };
  forEachInOrder<kCollectives>(reading, modules, keyOf, [&](const LedgerCollective& ledger, bool is_new) {
    if (is_new) {
      rows.push_back(collectiveOf(reading, ledger));
    } else {
      add(rows.back(), collectiveOf(reading, ledger));
    }
    reading.rows[static_cast<size_t>(&ledger - &records.at<kCollectives>(0))] = static_cast<uint32_t>(rows.size());
  });
}

void readOperations(LedgerReading& reading) {
  LedgerRecords& records = reading.records;
  if (records.header().level == static_cast<uint32_t>(Level::kCollectives)) {
    return;
  }
  std::vector<Operation>& rows = reading.report.operations.emplace();
  rows.reserve(reading.reservable(kOperations));
  const ModuleOrder modules(reading.report.modules);
  const auto keyOf = [&](const LedgerOperation& ledger) {
    const OperationKey& key = ledger.key;
    return std::tuple(phaseOf(key.phase), records.textView(key.op), key.dtensor != 0);
  };
  forEachInOrder<kOperations>(reading, modules, keyOf, [&](const LedgerOperation& ledger, bool is_new) {
    if (is_new) {
      const OperationKey& key = ledger.key;
      rows.push_back({reading.moduleName(key.module), phaseOf(key.phase), records.text(key.op), key.dtensor != 0, 0});
    }
    addSaturating(rows.back().count, ledger.count.load(std::memory_order_relaxed));
  });
}

namespace {

struct MemberPart {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t changes = 0;
};
/// The parts of one row, by the module's name.
using MemberParts = std::map<std::string, MemberPart>;

/// Adds a row's members. A row that also has calls of one tensor, or which nothing merged, or that is counted right
/// now, has none; nor has a row that only its own module is in.
void addMembers(Report& report, uint64_t row, const MemberParts& parts) {
  uint64_t bytes = 0;
  for (const auto& [module, part] : parts) {
    addSaturating(bytes, part.bytes);
  }
  const bool is_own =
      parts.size() == 1 && parts.begin()->first == report.collectives[row].module && parts.begin()->second.count == 0;
  if (is_own || bytes != report.collectives[row].bytes || report.members.size() + parts.size() > kMostMembers) {
    return;
  }
  for (const auto& [module, part] : parts) {
    report.members.push_back(
        {row, module, part.bytes, part.count == 0 ? std::nullopt : std::optional(part.count), part.changes});
  }
}

} // namespace

void readMembers(LedgerReading& reading) {
  std::map<uint64_t, MemberParts> rows;
  reading.records.forEachWhole<kMembers>([&](const LedgerMember& member, uint64_t /*number*/) {
    const uint64_t count = member.count.load(std::memory_order_relaxed);
    const uint64_t bytes = member.bytes.load(std::memory_order_relaxed);
    if ((count == 0 && bytes == 0) || member.key.row >= reading.rows.size() || reading.rows[member.key.row] == 0) {
      return; // the job has set the counters to 0, or has added the row after its section was read
    }
    const bool is_padding = count == 0 && member.key.module == kGlobalModule;
    const std::string module = is_padding ? std::string() : reading.moduleName(member.key.module);
    MemberPart& part = rows[reading.rows[member.key.row] - 1][module];
    addSaturating(part.count, count);
    addSaturating(part.bytes, bytes);
    addSaturating(part.changes, member.changes.load(std::memory_order_relaxed));
  });
  for (const auto& [row, parts] : rows) {
    addMembers(reading.report, row, parts);
  }
}

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

namespace {

/// Returns the bytes of each peer; empty if the record has none, or if the ranks of the row's group are not known.
PeerBytes peersOf(LedgerReading& reading, const LedgerSplits& ledger) {
  PeerBytes peers;
  const uint32_t group = reading.records.at<kCollectives>(ledger.key.row).key.group;
  const uint64_t there = reading.records.count(kSplitPeers);
  if (ledger.first_peer == kNoIndex || group >= reading.report.groups.size()) {
    return peers;
  }
  const std::vector<uint32_t>& ranks = reading.report.groups[group].ranks;
  if (ranks.size() != ledger.key.peers || there < ledger.key.peers || ledger.first_peer > there - ledger.key.peers) {
    return peers;
  }
  for (uint32_t i = 0; i < ledger.key.peers; ++i) {
    peers[ranks[i]] = reading.records.at<kSplitPeers>(ledger.first_peer + i).bytes.load(std::memory_order_relaxed);
  }
  return peers;
}

} // namespace

void readSplits(LedgerReading& reading) {
  reading.records.forEachWhole<kSplits>([&](const LedgerSplits& ledger, uint64_t /*number*/) {
    const uint64_t calls = ledger.calls.load(std::memory_order_relaxed);
    if (calls == 0 || ledger.key.row >= reading.rows.size() || reading.rows[ledger.key.row] == 0) {
      return; // the job has set the counters to 0, or has added the row after its section was read
    }
    Splits splits;
    splits.calls = calls;
    splits.imbalance = imbalanceFrom(
        calls,
        ledger.imbalance_sum.load(std::memory_order_relaxed),
        ledger.imbalance_max.load(std::memory_order_relaxed));
    splits.zero_peers = ledger.zero_peers.load(std::memory_order_relaxed);
    splits.received_more = ledger.received_more.load(std::memory_order_relaxed);
    splits.peers = peersOf(reading, ledger);
    splits.findExtremes();
    reading.report.collectives[reading.rows[ledger.key.row] - 1].splits += splits;
  });
}

} // namespace commtap
