// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/live/job_look.h"
#include "tools/text/table.h"

namespace commtap {

enum class RateOrder : uint8_t { kPayload, kCalls, kExposed };

/// The traffic of a kind, a group or a module between two reads.
struct Rate {
  std::string run; ///< runName()
  std::string name;
  double per_second = 0;
  double bytes_per_second = 0;
  uint64_t count = 0; ///< since the start
  uint64_t bytes = 0;
  std::optional<double> exposed_share = {}; ///< of the time of the ranks that have the row; nullopt if it is not known
  std::optional<double> bus_bandwidth = {}; ///< bytes per second; nullopt if no timed collective has completed
};

/// Returns the rates of a table between two reads that are `seconds` apart, the largest first.
std::vector<Rate> ratesOf(const TrafficTable& before, const TrafficTable& now, double seconds, RateOrder order);

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
