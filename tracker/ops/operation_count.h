// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/record_function.h>

#include "report/model/vocabulary.h"
#include "tracker/attribution/attribution.h"

namespace commtap {

/// Counts the op that `function` observes, if `level` includes it. Ignores ops that a compiler traces: they compute
/// nothing. `function` must have the op's arguments.
void countOperation(const at::RecordFunction& function, const Origin& origin, Level level);

} // namespace commtap
