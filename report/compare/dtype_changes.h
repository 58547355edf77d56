// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Returns one line per pair of dtypes that rows of both runs differ in: "float32 before, bfloat16 after: all_gather in
/// Net.layers.* (forward, dp) and 7 more of 10 rows". Bytes alone do not show it: 2 bytes are bfloat16 or float16.
std::vector<std::string> dtypeNotes(const JobReport& before, const JobReport& after);

} // namespace commtap
