// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/diagnosis.h"
#include "tools/doctor/job_program.h"

namespace commtap {

/// Returns whether doctor may start its own process through these words: all are programs that only change the
/// environment, limits or priority of what they start on this machine.
bool mayRunWrapper(const std::vector<std::string>& wrapper, const Environment& environment);

/// Returns why the dynamic linker would not preload a library into a program; "" if it would. Judges a script by its
/// interpreter.
std::string whyNoPreload(const std::string& path, const Environment& environment);

/// Checks the program of a command and the programs that start it. `command` is as the user gave it.
Diagnosis
checkCommand(const std::vector<std::string>& command, const JobProgram& program, const Environment& environment);

} // namespace commtap
