// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "report/verify/verification.h"

namespace commtap {

/// Moves the parameters of findings that may follow from another one into its `later_parameters`: they went apart
/// between the same ranks, in a later sample or with less evidence, and their gradients differ, as those of other
/// values do. Drops those that count only next to another one, if there is none. `findings` are in the order of their
/// severity and step.
void foldLater(std::vector<VerifyFinding>& findings);

} // namespace commtap
