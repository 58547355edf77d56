// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "report/ledger/ledger_size.h"

namespace commtap {

/// The ranges of a ledger, mapped anywhere. Unmaps them when destroyed.
class LedgerView {
 public:
  explicit LedgerView(const LedgerExtent& extent) : extent_(extent) {}
  LedgerView(const LedgerView&) = delete;
  LedgerView& operator=(const LedgerView&) = delete;
  ~LedgerView();

  /// Each maps all ranges: new memory; the memory of the ledger at `base` a second time; a file, read only. Returns
  /// false with errno set.
  bool mapMemory();
  bool mapAgain(std::byte* base);
  bool mapFile(int fd);

  /// Moves all ranges to the ledger's place at `base`. Returns false if one failed; those before it have moved.
  bool moveTo(std::byte* base);

  /// Returns the address of an offset inside a range.
  std::byte* at(uint64_t offset) const;

 private:
  template <typename Map>
  bool mapRanges(const Map& map);

  const LedgerExtent& extent_;
  std::array<std::byte*, kSectionCount + 1> ranges_{};
};

} // namespace commtap
