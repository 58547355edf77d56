// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/model.h"

namespace commtap {

/// The rank that others of its group wait for.
struct Straggler {
  int64_t rank = 0;
  double late_by_ns = 0; ///< behind the rank that comes first, on average
};

/// How long the collectives of one kind in one group, or of one module, took on all ranks together.
struct TimeTotals {
  std::string module; ///< "" for all
  Kind kind = Kind::kOther;
  std::string group;  ///< groupTitle
  uint64_t count = 0; ///< all, timed or not
  CollectiveTime time;
  /// Of the kinds that no rank leaves before all have come. A collective runs shortest on the rank that comes last.
  std::optional<Straggler> straggler;
};

enum class TimesBy : bool { kGroup, kModule };

/// Those that are timed, the ones that were waited for longest first. `phase`: that one alone.
std::vector<TimeTotals> timeTotals(std::span<const Report* const> reports, TimesBy by, std::optional<Phase> phase);

} // namespace commtap
