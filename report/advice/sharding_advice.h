// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/advice/advice_findings.h"
#include "report/advice/sharded_parameters.h"

namespace commtap {

/// Finds what FSDP could communicate less: parameters that are gathered again, or for nothing, and wide gradients.
void findSharding(const ShardedParameters& sharded, Findings& findings);

} // namespace commtap
