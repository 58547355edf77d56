// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "report/verify/verification.h"

namespace commtap::page {

/// Returns what `commtap verify` says: `status`, `line` and `found`, the words of each error and warning as a list of
/// lines. Null without a verdict.
nlohmann::json verifyOf(const Verification* verification);

} // namespace commtap::page
