// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// The NCCL calls of the job: a line with versions and communicators, a table that compares them with what c10d asked
/// for, and a table of the other calls. `phase`: that phase only. "" if no rank called NCCL.
std::string ncclText(const JobReport& job, const Color& color, std::optional<Phase> phase = std::nullopt);

} // namespace commtap
