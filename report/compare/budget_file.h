// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "report/compare/budget.h"

namespace commtap {

/// The `schema` of a budget file. What else it holds: docs/check.md.
inline constexpr const char* kBudgetSchema = "commtap.budget/1";

/// TOML with comments that say what one may change. `source`: the job that it was made from.
std::string budgetToToml(const Budget& budget, const std::string& source);

/// Fails with the line or the field, and what was found there. Fields that it does not know are refused: a rule that is
/// misspelt must not be a rule that never holds.
Result<Budget> budgetFromToml(const std::string& text);

} // namespace commtap
