// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/live/job_look.h"
#include "tools/text/table.h"

namespace commtap {

enum class RateOrder : uint8_t { kPayload, kCalls, kExposed };

/// The space for a table, and the order of its rows.
struct TableSpace {
  size_t rows = 0;    ///< at most
  size_t columns = 0; ///< a name is shortened so that a line fits
  RateOrder order = RateOrder::kPayload;
};

/// Returns the traffic between two reads of the same jobs, `seconds` apart, as tables by kind, by group and by module,
/// the largest first. Adds the time that ranks were blocked and bus bandwidths where durations are known. Names
/// runs if there are several. Narrow tables have rates only.
std::string
rateTables(const Traffic& before, const Traffic& now, double seconds, const TableSpace& space, const Color& color);

} // namespace commtap
