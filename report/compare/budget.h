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
  double count = 0;                  ///< calls per rank in a run, or in a training step
  double bytes = 0;                  ///< payload per rank in a run, or in a training step
  bool setup = false;                ///< matches set-up and nothing else, and counts per run; only in a budget per step
  std::optional<double> imbalance{}; ///< the largest mean imbalance of split sizes; nullopt for any
  std::optional<double> exposed{};   ///< the most of a step that its cells may be exposed, in percent; nullopt for any

  bool operator==(const BudgetEntry&) const = default;
};

/// The kinds of finding that `allow` in a budget and --allow accept.
enum class Allowed : uint8_t { kDisagreements, kMissingRanks, kKilled, kNotSeen, kLess, kFailed };
inline constexpr int kAllowedCount = 6;
std::string_view allowedName(Allowed allowed);
std::optional<Allowed> allowedFromName(std::string_view name);

/// The communication that a job may do. docs/check.md describes the file.
struct Budget {
  bool per_step = false; ///< entries count per training step, except set-up; otherwise per run, with set-up
  uint64_t steps = 0;    ///< training steps of the run that a budget per step is equal to; 0 if not known
  std::vector<Allowed> allowed;
  std::vector<Tolerance> tolerances;
  std::vector<BudgetEntry> entries;
  std::optional<double> exposed{}; ///< the most of a step that all collectives may be exposed, in percent
};

/// Returns a budget equal to what the job communicates, per step if it made at least two training steps. The equal
/// layers of a stack share one entry.
Budget budgetOf(const JobReport& job);

/// Returns the index of the last entry whose pattern matches the cell; the number of entries if no pattern does.
size_t entryFor(const Budget& budget, const CellKey& key);

/// Returns the cells of the job that exceed their entry, one list per entry, with the entry's maximum as `before`. The
/// last list has the cells that no entry matches. If several entries match a cell, the last one applies.
///
/// In a budget per step, a count that is no whole number has a part that is not in every step. A run of fewer steps
/// than the budget's own may have that part as often as the budget's own run.
std::vector<std::vector<CellChange>> excessesOf(const Budget& budget, const JobReport& job);

} // namespace commtap
