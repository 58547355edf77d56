// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "report/ledger/ledger_store.h"

namespace commtap {

/// Writes the sections of process groups and their ranks. Any thread.
class LedgerGroups {
 public:
  explicit LedgerGroups(LedgerStore& store) : store_(store) {}

  /// Adds a group and returns its index; kNoIndex if the table is full. `ranks` are global ranks, empty if unknown.
  uint32_t addGroup(
      std::string_view name,
      std::string_view desc,
      std::string_view backend,
      uint32_t size,
      uint32_t rank,
      std::span<const uint32_t> ranks);

  /// Notes that a named dimension of a DeviceMesh uses the group. A group that dimensions of two names use has none.
  void nameDimension(uint32_t group, std::string_view dimension);

  /// Returns the group's name; "" for kNoIndex.
  std::string_view groupName(uint32_t group) const;

  /// Returns the number, from 1, of the group's next collective, or of its next send or receive. Returns 0 for
  /// kNoIndex.
  uint64_t nextSequence(uint32_t group, bool point_to_point) {
    return group == kNoIndex ? 0
                             : store_.records<kGroups>()[group].issued[point_to_point ? 1 : 0].fetch_add(
                                   1, std::memory_order_relaxed) +
                                   1;
  }

 private:
  uint32_t addRanks(std::string_view name, std::span<const uint32_t> ranks, const LedgerLock& lock);

  LedgerStore& store_;
};

} // namespace commtap
