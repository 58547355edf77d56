// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>

#include "report/compare/change_bundle.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// Returns the fields that identify a compared job: `source`, `run_id`, `started_at`, `world_size`, `ranks`,
/// `missing_ranks`, `planned`, `training_steps`.
nlohmann::ordered_json jobIdentityJson(const JobReport& job);

/// Returns the fields of a change: `text`, `module`, `modules`, `phase`, `kind`, `group`, `before`, `after`,
/// `gained_ranks`, `lost_ranks`, `unit`.
nlohmann::ordered_json changeJson(const ChangeBundle& change);

} // namespace commtap
