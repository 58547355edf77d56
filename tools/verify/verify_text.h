// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/verify/verification.h"
#include "tools/text/table.h"

namespace commtap {

/// Writes the sentences of a verification: the lines of each finding, and Verification::line.
void addWords(Verification& result);

/// Returns inert text for people: the findings, of many the first ones, and what was compared. What could not be
/// compared comes first if nothing was.
std::string verifyText(const Verification& result, const Color& color);

std::string verifyJson(const Verification& result);

/// Returns a JUnit document with a test case per class of findings. `is_strict`: warnings are failures too.
std::string verifyJunit(const Verification& result, bool is_strict);

} // namespace commtap
