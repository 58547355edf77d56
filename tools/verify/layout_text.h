// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/layouts/layout_comparison.h"
#include "tools/text/table.h"

namespace commtap {

/// Writes the sentences of a comparison: the lines of each finding, and LayoutComparison::line. `like`: what to call
/// the other run.
void addWords(LayoutComparison& result, const std::string& like, bool has_equal_bits);

/// Returns inert text for people.
std::string layoutText(const LayoutComparison& result, const Color& color);

/// Returns a JUnit document with a test case for the start and one per class of findings. `is_strict`: warnings, and
/// runs of which nothing or only the start was compared, are failures too.
std::string layoutJunit(const LayoutComparison& result, bool is_strict);

} // namespace commtap
