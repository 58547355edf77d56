// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "report/compare/job_diff.h"
#include "report/compare/tolerance.h"
#include "report/job/job_report.h"

namespace commtap {

/// The maximum for each module that the pattern matches.
struct BudgetEntry {
  CellPattern pattern;
  double count = 0; ///< calls per rank in a run
  double bytes = 0; ///< payload per rank in a run

  bool operator==(const BudgetEntry&) const = default;
};

/// The kinds of finding that `allow` in a budget and --allow accept.
enum class Allowed : uint8_t { kDisagreements, kMissingRanks, kKilled, kNotSeen, kLess, kFailed };
inline constexpr int kAllowedCount = 6;
std::string_view allowedName(Allowed allowed);
std::optional<Allowed> allowedFromName(std::string_view name);

/// The communication that a job may do. docs/check.md describes the file.
struct Budget {
  std::vector<Allowed> allowed;
  std::vector<Tolerance> tolerances;
  std::vector<BudgetEntry> entries;
};

/// Returns a budget equal to what the job communicates. The equal layers of a stack share one entry.
Budget budgetOf(const JobReport& job);

/// Returns the cells that exceed their entry, one list per entry, with the entry's maximum as `before`. The last list
/// has the cells that no entry matches. If several entries match a cell, the last one applies.
std::vector<std::vector<CellChange>> excessesOf(const Budget& budget, const Cells& cells);

} // namespace commtap
