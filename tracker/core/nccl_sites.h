// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// Calls to NCCL that one thread makes alike, and the row in which they count.
struct NcclSite {
  const void* communicator = nullptr;
  uint64_t place = 0;    ///< the collective that makes the calls, or where the thread is; 0: none known
  uint32_t call = 0;     ///< the function, its type, whether in a group
  uint32_t lifetime = 0; ///< Communicators::lifetime(): the address is that communicator's as long as this stays
  LedgerNcclCall* row = nullptr;
  uint64_t bytes_per_count = 0; ///< payload of one element

  bool isLike(const NcclSite& other) const {
    return communicator == other.communicator && place == other.place && call == other.call &&
           lifetime == other.lifetime;
  }
};

/// The sites from which a thread called last, of those that share a place in the table the last one: the next call of a
/// site needs no search for its communicator, its names and its row. Of one thread alone.
class NcclSites {
 public:
  /// What is kept for sites like `site`, or for another one.
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
