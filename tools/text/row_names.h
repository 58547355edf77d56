// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {

/// Returns for each row what distinguishes it from the other rows of its name, as inert text to put behind the name:
/// ", c10d.allreduce_, float32". Returns "" for a row whose name no other row has. `names`: the names of the rows.
std::vector<std::string> distinctionsOf(std::span<const JobCollective* const> rows, std::span<const std::string> names);

/// Returns a group's name as inert text: "dp". A group without a description has a number for a name, and its ranks say
/// which it is: "3 [0-1]".
std::string groupLabel(const JobGroup& group);

} // namespace commtap
