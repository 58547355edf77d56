// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/compare/job_diff.h"

namespace commtap {

/// Renames the group of cells that only one run has, if the other run has a cell that differs in the group alone, and
/// both groups are the DeviceMesh dimension of one name: the default group of a mesh over all ranks, and the subgroup
/// `mesh_dp` of a larger mesh. The cells of both runs then have the group `mesh_dp`. Returns one line per pair of
/// groups.
std::vector<std::string>
matchGroups(const JobReport& before, const JobReport& after, Cells& cells_before, Cells& cells_after);

} // namespace commtap
