// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/job/job_report.h"

namespace commtap {

/// Returns inert text: "all_reduce in MLP.net1 (backward) on mesh_tp of ranks 0-3: 12 calls on ranks 0-1, 3; 11 on rank
/// 2".
std::string disagreementText(const Disagreement& disagreement, const JobReport& job);

/// Returns "rank 2" or "ranks 0-1, 3".
std::string ranksText(const RankRanges& ranks);

} // namespace commtap
