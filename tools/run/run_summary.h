// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/base/result.h"
#include "report/runs/folder.h"
#include "tools/text/color.h"

namespace commtap {

/// The text that `commtap run` ends with: the totals of `reports`, which are of one run, by kind and group, or why
/// there are none.
std::string runSummary(const Result<ReportFolder>& reports, const std::string& folder, const Color& color);

} // namespace commtap
