// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// A call site: NCCL calls of one thread that share all keys below, and the row that counts them.
struct NcclSite {
  const void* communicator = nullptr;
  uint64_t place = 0;    ///< the collective that makes the calls, or the thread's location; 0: unknown
  uint32_t call = 0;     ///< the function, its data type and whether it is in a group
  uint32_t lifetime = 0; ///< Communicators::lifetime(): while unchanged, the address names the same communicator
  LedgerNcclCall* row = nullptr;
  uint64_t bytes_per_count = 0; ///< payload of one element

  bool isLike(const NcclSite& other) const {
    return communicator == other.communicator && place == other.place && call == other.call &&
           lifetime == other.lifetime;
  }
};

/// Cache of one thread's recent call sites: a hit needs no search for the communicator, the names and the row. Each
/// slot keeps the last site that hashed to it. Only the owning thread uses the cache.
class NcclSites {
 public:
  /// Returns the slot of `site`. The slot may hold another site: check isLike().
  NcclSite& at(const NcclSite& site) {
    const uint64_t mixed =
        (reinterpret_cast<uintptr_t>(site.communicator) ^ (uint64_t{site.call} << 32U) ^ site.place) *
        0x9e3779b97f4a7c15U;
    return sites_[mixed >> (64U - kBits)];
  }

 private:
  static constexpr unsigned kBits = 5;
  std::array<NcclSite, size_t{1} << kBits> sites_{};
};

} // namespace commtap
