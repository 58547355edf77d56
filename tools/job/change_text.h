// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/compare/job_check.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// One line on a difference, inert: "+1 all_gather a run in Net.layers.*.attention (12 modules; forward, mesh_tp): 12
/// to 13 calls, 1.20 GiB to 1.30 GiB (+8.3 %)".
std::string changeText(const ChangeBundle& change);

/// One line on a finding, inert. `job`: the one that was checked.
std::string findingText(const Finding& finding, const JobReport& job);

/// What a check asks, as a statement: "ranks agree", "all_gather on mesh_tp as in the baseline". Inert.
std::string checkText(const Check& check);

/// "+8.3 %"; "new" where there was nothing before.
std::string percentText(double before, double after);

} // namespace commtap
