// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "report/job/job_report.h"
#include "tools/text/color.h"

namespace commtap {

/// Returns the NCCL calls of the job: versions and communicators, the calls behind c10d collectives, then the other
/// calls. `phase` limits them to one phase. Returns "" if no rank called NCCL.
std::string ncclText(const JobReport& job, const Color& color, std::optional<Phase> phase = std::nullopt);

} // namespace commtap
