// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/diagnosis.h"
#include "tools/run/environment.h"

namespace commtap {

/// Checks the names and values of the COMMTAP_ variables: one diagnosis per wrong one, or one if all are right.
std::vector<Diagnosis> checkOptions(const Environment& environment);

/// Looks for other libraries in LD_PRELOAD, auditors and profilers. `library`: commtap's own; `command`: the job's.
std::vector<Diagnosis>
checkNeighbours(const Environment& environment, const std::string& library, const std::vector<std::string>& command);

} // namespace commtap
