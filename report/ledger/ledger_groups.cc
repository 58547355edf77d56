// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_writer.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "report/ledger/ledger_checks.h"

namespace commtap {

uint32_t LedgerWriter::addGroup(
    std::string_view name,
    std::string_view desc,
    std::string_view backend,
    uint32_t size,
    uint32_t rank,
    std::span<const uint32_t> ranks) {
  const LedgerLock lock(appending());
  return indexOf<kGroups>(append<kGroups>(NotSeen::kGroupsFull, name, lock, [&](LedgerGroup& group) {
    const uint32_t first_rank = addRanks(name, ranks, lock);
    const StringId name_id = intern(name, lock);
    const StringId desc_id = intern(desc, lock);
    const StringId backend_id = intern(backend, lock);
    new (&group) LedgerGroup{name_id, desc_id, backend_id, size, rank, first_rank, checkOf(ranks), 0, {}, 0, {}};
  }));
}

/// Returns the index of the first rank; kNoIndex for no ranks or if the table is full.
uint32_t LedgerWriter::addRanks(std::string_view name, std::span<const uint32_t> ranks, const LedgerLock& lock) {
  if (ranks.empty()) {
    return kNoIndex;
  }
  const uint64_t first = reserve(kRanks, ranks.size(), lock);
  if (first == kNoIndex) {
    notSeen(NotSeen::kGroupRanksFull, name, 1, lock);
    return kNoIndex;
  }
  std::memcpy(records<kRanks>() + first, ranks.data(), ranks.size_bytes());
  commit(kRanks, first + ranks.size(), lock);
  return static_cast<uint32_t>(first);
}

void LedgerWriter::allDestroyed() {
  const LedgerLock lock(appending());
  for (uint64_t i = 0; i < used(kGroups, lock); ++i) {
    records<kGroups>()[i].destroyed.store(1, std::memory_order_relaxed);
  }
}

void LedgerWriter::nameDimension(uint32_t group, std::string_view dimension) {
  if (group == kNoIndex) {
    return;
  }
  const LedgerLock lock(appending());
  std::atomic<StringId>& known = records<kGroups>()[group].dimension;
  const StringId id = intern(dimension, lock);
  const StringId before = known.load(std::memory_order_relaxed);
  known.store(before == 0 || before == id ? id : kNoIndex, std::memory_order_release);
}

std::string_view LedgerWriter::groupName(uint32_t group) const {
  return group == kNoIndex ? std::string_view() : text(records<kGroups>()[group].name);
}

uint32_t LedgerWriter::addModule(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    uint32_t flags,
    std::string_view clean) {
  const LedgerLock lock(appending());
  return indexOf<kModules>(append<kModules>(NotSeen::kModulesFull, component, lock, [&](LedgerModule& module) {
    module.parent.store(parent, std::memory_order_relaxed);
    module.component.store(intern(component, lock), std::memory_order_relaxed);
    module.class_name = intern(class_name, lock);
    module.clean.store(clean == component ? 0 : intern(clean, lock), std::memory_order_relaxed);
    module.flags = flags;
    std::fill(std::begin(module.calls), std::end(module.calls), 0);
  }));
}

void LedgerWriter::reparentModule(uint32_t module, uint32_t parent, std::string_view component, bool wrapper) {
  const LedgerLock lock(appending());
  LedgerModule& moved = records<kModules>()[module];
  moved.clean.store(wrapper ? kNoIndex : 0, std::memory_order_relaxed);
  moved.component.store(intern(component, lock), std::memory_order_relaxed);
  moved.parent.store(parent, std::memory_order_release);
}

void LedgerWriter::renameModule(uint32_t module, std::string_view component) {
  const LedgerLock lock(appending());
  records<kModules>()[module].component.store(intern(component, lock), std::memory_order_release);
}

void LedgerWriter::addParameter(uint32_t module, const LedgerParameterFacts& facts) {
  const LedgerLock lock(appending());
  append<kParameters>(NotSeen::kParametersFull, facts.name, lock, [&](LedgerParameter& parameter) {
    parameter = {
        .module = module,
        .name = intern(facts.name, lock),
        .shape = intern(facts.shape, lock),
        .local_shape = intern(facts.local_shape, lock),
        .dtype = intern(facts.dtype, lock),
        .mesh = intern(facts.mesh, lock),
        .placements = intern(facts.placements, lock),
        .requires_grad = facts.requires_grad ? 1U : 0U,
        .check = 0};
  });
}

uint32_t LedgerWriter::findSequence(uint32_t group, uint32_t part) {
  const LedgerLock lock(appending());
  LedgerSequence* known = records<kSequences>();
  const uint64_t count = used(kSequences, lock);
  uint64_t index = 0;
  while (index < count && (known[index].group != group || known[index].part != part)) {
    ++index;
  }
  const bool is_full = index == count && reserve(kSequences, 1, lock) == kNoIndex;
  if (index == count && !is_full) {
    LedgerSequence& record = *new (&known[index]) LedgerSequence{group, part, 0, {}, {}};
    record.check = checkOf(record, index);
    commit(kSequences, index + 1, lock);
  }
  const uint32_t found = is_full ? kIndexMask : static_cast<uint32_t>(index + 1);
  current_[group].store((part << kIndexBits) | found, std::memory_order_release);
  return found;
}

/// Forgets all records, for an empty ledger.
void LedgerWriter::restartSequences(const LedgerLock& lock) {
  changeHeader(lock, [](LedgerHeader& head) { head.cost.index_bytes += sizeof(current_); });
  for (std::atomic<uint32_t>& current : current_) {
    current.store(0, std::memory_order_relaxed);
  }
}

bool LedgerWriter::countNccl(uint32_t version) {
  const LedgerLock lock(appending());
  if (!nccl_rows_.create(lock)) {
    return false;
  }
  if (!makeOpenCalls(lock)) {
    return false;
  }
  changeHeader(lock, [version](LedgerHeader& head) { head.nccl = version; });
  return true;
}

bool LedgerWriter::makeOpenCalls(const LedgerLock& lock) {
  if (used(kOpenCalls, lock) != 0) {
    return true;
  }
  if (reserve(kOpenCalls, kMostOpenCalls, lock) == kNoIndex) {
    return false;
  }
  commit(kOpenCalls, kMostOpenCalls, lock);
  return true;
}

bool LedgerWriter::noteOpenCalls() {
  const LedgerLock lock(appending());
  return makeOpenCalls(lock);
}

uint32_t LedgerWriter::addCommunicator() {
  const LedgerLock lock(appending());
  return indexOf<kCommunicators>(append<kCommunicators>(
      NotSeen::kNcclFull, "communicators", lock, [](LedgerCommunicator& added) { added.group = kNoIndex; }));
}

LedgerOpenCall* LedgerWriter::enter(StringId function, uint32_t group, uint64_t now_ns, uintptr_t start) {
  constexpr uint64_t kBeingWritten = 1;
  const uint64_t call = wordOf(function, group);
  for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
    const uint64_t number = (start + i) % kMostOpenCalls;
    LedgerOpenCall& open = records<kOpenCalls>()[number];
    uint64_t free = 0;
    if (open.entered_at_ns.compare_exchange_strong(free, kBeingWritten, std::memory_order_acquire)) {
      open.call.store(call, std::memory_order_relaxed);
      open.check.store(checkOfOpenCall(number, now_ns, call), std::memory_order_relaxed);
      open.entered_at_ns.store(now_ns, std::memory_order_release);
      return &open;
    }
  }
  return nullptr;
}

/// Runs in a forked child: the calls are open in the parent.
void LedgerWriter::leaveAllCalls() {
  for (uint32_t i = 0; i < kMostOpenCalls; ++i) {
    leave(records<kOpenCalls>()[i]);
  }
}

LedgerGraph* LedgerWriter::addGraph() {
  const LedgerLock lock(appending());
  return append<kGraphs>(NotSeen::kGraphTableFull, "graphs", lock, [](const LedgerGraph& /*graph*/) {});
}

void LedgerWriter::addGraphCall(const LedgerGraph& graph, const LedgerCollective& row, LedgerAmount amount) {
  addCall(graph, false, indexOf<kCollectives>(&row), amount);
}

void LedgerWriter::addGraphCall(const LedgerGraph& graph, const LedgerNcclCall& row, LedgerAmount amount) {
  addCall(graph, true, indexOf<kNcclCalls>(&row), amount);
}

void LedgerWriter::addCall(const LedgerGraph& graph, bool of_nccl, uint32_t row, LedgerAmount amount) {
  const LedgerLock lock(appending());
  append<kGraphCalls>(NotSeen::kGraphTableFull, "calls", lock, [&](LedgerGraphCall& call) {
    call = {indexOf<kGraphs>(&graph), row, of_nccl ? 1U : 0U, 0, amount.count, amount.bytes};
  });
}

} // namespace commtap
