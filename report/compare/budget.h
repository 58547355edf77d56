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

/// The most that each module of a pattern may have.
struct BudgetEntry {
  CellPattern pattern;
  double count = 0; ///< calls of a rank in a run
  double bytes = 0; ///< payload of a rank in a run

  bool operator==(const BudgetEntry&) const = default;
};

/// What a finding that need not fail a check is about.
enum class Allowed : uint8_t { kDisagreements, kMissingRanks, kNotSeen, kLess };
inline constexpr int kAllowedCount = 4;
std::string_view allowedName(Allowed allowed);
std::optional<Allowed> allowedFromName(std::string_view name);

/// What a job may communicate: docs/check.md describes its file.
struct Budget {
  std::vector<Allowed> allowed;
  std::vector<Tolerance> tolerances;
  std::vector<BudgetEntry> entries;
};

/// The budget that a job just keeps: one entry for all modules of a stack of layers that have the same.
Budget budgetOf(const JobReport& job);

/// The cells that have more than their entry allows, by entry; `before` is what it allows. Last, those that no entry
/// fits. Of several entries that fit the last one counts.
std::vector<std::vector<CellChange>> excessesOf(const Budget& budget, const Cells& cells);

} // namespace commtap
