// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_groups.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "report/ledger/ledger_checks.h"

namespace commtap {

uint32_t LedgerGroups::addGroup(
    std::string_view name,
    std::string_view desc,
    std::string_view backend,
    uint32_t size,
    uint32_t rank,
    std::span<const uint32_t> ranks) {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kGroups, 1, lock); // before its names and ranks take space
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kGroupsFull, name, 1, lock);
    return kNoIndex;
  }
  const uint32_t first_rank = addRanks(name, ranks, lock);
  const StringId name_id = store_.intern(name, lock);
  const StringId desc_id = store_.intern(desc, lock);
  const StringId backend_id = store_.intern(backend, lock);
  const uint32_t ranks_check = checkOf(ranks);
  LedgerGroup& group = *new (&store_.records<kGroups>()[index])
                           LedgerGroup{name_id, desc_id, backend_id, size, rank, first_rank, ranks_check, 0, {}, 0, 0};
  group.check = checkOf(group, index);
  store_.commit(kGroups, index + 1, lock);
  return static_cast<uint32_t>(index);
}

/// Returns the index of the first rank; kNoIndex for no ranks or if the table is full.
uint32_t LedgerGroups::addRanks(std::string_view name, std::span<const uint32_t> ranks, const LedgerLock& lock) {
  if (ranks.empty()) {
    return kNoIndex;
  }
  const uint64_t first = store_.reserve(kRanks, ranks.size(), lock);
  if (first == kNoIndex) {
    store_.notSeen(NotSeen::kGroupRanksFull, name, 1, lock);
    return kNoIndex;
  }
  std::memcpy(store_.records<kRanks>() + first, ranks.data(), ranks.size_bytes());
  store_.commit(kRanks, first + ranks.size(), lock);
  return static_cast<uint32_t>(first);
}

void LedgerGroups::allDestroyed() {
  const LedgerLock lock(store_.appending());
  for (uint64_t i = 0; i < store_.used(kGroups, lock); ++i) {
    store_.records<kGroups>()[i].destroyed.store(1, std::memory_order_relaxed);
  }
}

void LedgerGroups::nameDimension(uint32_t group, std::string_view dimension) {
  if (group == kNoIndex) {
    return;
  }
  const LedgerLock lock(store_.appending());
  std::atomic<StringId>& known = store_.records<kGroups>()[group].dimension;
  const StringId id = store_.intern(dimension, lock);
  const StringId before = known.load(std::memory_order_relaxed);
  known.store(before == 0 || before == id ? id : kNoIndex, std::memory_order_release);
}

std::string_view LedgerGroups::groupName(uint32_t group) const {
  return group == kNoIndex ? std::string_view() : store_.text(store_.records<kGroups>()[group].name);
}

uint32_t LedgerModules::addModule(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    uint32_t flags,
    std::string_view clean) {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kModules, 1, lock); // before its names take space
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kModulesFull, component, 1, lock);
    return kNoIndex;
  }
  const StringId component_id = store_.intern(component, lock);
  const StringId class_id = store_.intern(class_name, lock);
  const StringId clean_id = clean == component ? 0 : store_.intern(clean, lock);
  LedgerModule& module = store_.records<kModules>()[index];
  module.parent.store(parent, std::memory_order_relaxed);
  module.component.store(component_id, std::memory_order_relaxed);
  module.clean.store(clean_id, std::memory_order_relaxed);
  module.class_name = class_id;
  module.flags = flags;
  module.check = checkOf(module, index);
  std::fill(std::begin(module.calls), std::end(module.calls), 0);
  store_.commit(kModules, index + 1, lock);
  return static_cast<uint32_t>(index);
}

void LedgerModules::reparentModule(uint32_t module, uint32_t parent, std::string_view component, bool wrapper) {
  const LedgerLock lock(store_.appending());
  LedgerModule& moved = store_.records<kModules>()[module];
  moved.clean.store(wrapper ? kNoIndex : 0, std::memory_order_relaxed);
  moved.component.store(store_.intern(component, lock), std::memory_order_relaxed);
  moved.parent.store(parent, std::memory_order_release);
}

void LedgerModules::renameModule(uint32_t module, std::string_view component) {
  const LedgerLock lock(store_.appending());
  store_.records<kModules>()[module].component.store(store_.intern(component, lock), std::memory_order_release);
}

void LedgerModules::addParameter(uint32_t module, const LedgerParameterFacts& facts) {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kParameters, 1, lock); // before its names take space
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kParametersFull, facts.name, 1, lock);
    return;
  }
  LedgerParameter& parameter = *new (&store_.records<kParameters>()[index]) LedgerParameter{
      .module = module,
      .name = store_.intern(facts.name, lock),
      .shape = store_.intern(facts.shape, lock),
      .local_shape = store_.intern(facts.local_shape, lock),
      .dtype = store_.intern(facts.dtype, lock),
      .mesh = store_.intern(facts.mesh, lock),
      .placements = store_.intern(facts.placements, lock),
      .requires_grad = facts.requires_grad ? 1U : 0U,
      .check = 0};
  parameter.check = checkOf(parameter, index);
  store_.commit(kParameters, index + 1, lock);
}

} // namespace commtap
