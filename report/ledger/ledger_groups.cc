// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_groups.h"

#include <cstring>
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

} // namespace commtap
