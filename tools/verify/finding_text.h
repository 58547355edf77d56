// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/verify/verification.h"

namespace commtap {

/// Returns up to three lines of inert text: what and where, between which samples and by how much, why and where to
/// look. A finding with two readings names both.
std::vector<std::string> linesOf(const VerifyFinding& finding);

} // namespace commtap
