// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// The formats before this version's that are read.
inline constexpr uint32_t kOldestLedgerVersion = 9;

/// Returns the number of sections of a format: the first ones of this version's.
constexpr uint32_t sectionsOf(uint32_t version) {
  constexpr uint32_t kFirst = 15;
  if (version < 13) {
    return kFirst;
  }
  if (version < 14) {
    return kFirst + 1;
  }
  return version < 15 ? kFirst + 2 : static_cast<uint32_t>(kSectionCount);
}

/// Returns the header of a ledger of format `version`, from kOldestLedgerVersion on, as this version has it; nullptr if
/// the file ends inside it. All before the sections is the same in these formats; what came later is 0, and its
/// sections are empty.
std::unique_ptr<LedgerHeader> oldHeaderOf(std::span<const std::byte> bytes, uint32_t version);

/// Returns the size in bytes of the header of such a ledger.
size_t oldHeaderSize(uint32_t version);

} // namespace commtap
