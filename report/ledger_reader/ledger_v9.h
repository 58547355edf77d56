// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/ledger/ledger_format.h"

namespace commtap {

/// What differs between ledgers of format 9 and those of this version, as this version has it, except for the header.
/// All else is the same.
namespace ledger_v9 {

inline constexpr uint32_t kVersion = 9;

/// Returns the records of the collectives section, of which `bytes` holds `count`. A record that fits its check there
/// has a check that it fits here; any other has not.
std::vector<std::byte> collectivesOf(const std::byte* records, uint64_t count);

} // namespace ledger_v9
} // namespace commtap
