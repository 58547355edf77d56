// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/job/job_report.h"

namespace commtap {

/// The module tree in Graphviz's DOT: a box a module with what it and those below it communicate, the darker the more
/// payload. Modules with no collective in or below them are left out, and those deeper than `depth`, with a line that
/// says how many.
std::string graphvizDot(const JobReport& job, std::optional<uint32_t> depth);

} // namespace commtap
