// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/job/diff_text.h"

namespace commtap {

/// Returns the answer to how two runs differ, as a part of a line with inert names: "no differences", or "communicates
/// 12.5 % more bytes per rank and step (64.0 MiB to 72.0 MiB), 3 more calls (24 to 27): mostly all_gather in
/// layers.*.attn (backward, mesh_tp)". Its numbers are means over all ranks. It names the largest change only as what
/// it is: most of the difference, or the largest of several.
std::string diffSummary(const JobDiff& diff);

} // namespace commtap
