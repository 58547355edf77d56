// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "report/compare/budget.h"

namespace commtap {

/// The value of the field `schema` in a budget file. docs/check.md describes the other fields.
inline constexpr const char* kBudgetSchema = "commtap.budget/1";

/// Returns the budget as TOML, with comments that say what a user may change. `source` names the job that the budget
/// comes from.
std::string budgetToToml(const Budget& budget, const std::string& source);

/// Parses a budget file. Fails with the line or the field and the value found there. Unknown fields are errors: a
/// misspelt rule must not be silently ignored.
Result<Budget> budgetFromToml(const std::string& text);

} // namespace commtap
