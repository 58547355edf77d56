// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/compare/change_bundle.h"
#include "report/compare/job_check.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns one line that describes a change, with inert names: "+1 all_gather per run in Net.layers.*.attention (12
/// modules; forward, mesh_tp): 12 to 13 calls, 1.20 GiB to 1.30 GiB (+8.3 %)". If other ranks have the
/// amount, the line has the ranks of both runs.
std::string changeText(const ChangeBundle& change);

/// Returns what changed, with inert names: "all_gather in Net.layers.*.attention (12 modules; forward, mesh_tp)".
std::string rowText(const ChangeBundle& change);

/// Returns one line that describes a finding, with inert names. `job` is the checked job.
std::string findingText(const Finding& finding, const JobReport& job);

/// Returns the statement that a check verifies, with inert names: "ranks agree", "all_gather on mesh_tp equals the
/// baseline".
std::string checkText(const Check& check);

/// Returns the subcommand that says more of a check that failed: "show --ranks".
std::string_view moreOf(const Check& check);

/// Returns the statement of a check that failed: "ranks disagree", "all_gather on mesh_tp differs from the baseline".
std::string failureText(const Check& check);

} // namespace commtap
