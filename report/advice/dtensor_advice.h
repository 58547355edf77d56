// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/advice/advice_findings.h"

namespace commtap {

/// Finds DTensors that are gathered whole in every step, and gradients that are reduced at each use.
void findDtensors(Findings& findings);

} // namespace commtap
