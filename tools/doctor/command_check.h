// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/command/job_program.h"
#include "tools/doctor/diagnosis.h"

namespace commtap {

/// Returns whether doctor may start its own process through these words: all are programs that only change the
/// environment, limits or priority of what they start on this machine.
bool mayRunWrapper(const std::vector<std::string>& wrapper, const Environment& environment);

/// Checks the program of a command and the programs that start it. `command` is as the user gave it.
Diagnosis
checkCommand(const std::vector<std::string>& command, const JobProgram& program, const Environment& environment);

} // namespace commtap
