// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/run/environment.h"

namespace commtap {

/// The program of a command that is, or starts, the job.
struct JobProgram {
  std::vector<std::string> wrapper; ///< the words before it: `env -u NAME`, `srun -n 8`
  std::string path;                 ///< the file of the program: `/venv/bin/torchrun`; "" if it was not found
  std::string python;               ///< the Python that runs it; "" if it is not a Python program
};

/// Returns the file that execvp() would run, "" if there is none.
std::string findOnPath(const std::string& name, const Environment& environment);

/// Returns the interpreter that the first line of a script names, "" if `path` is not a script. Follows `env` and the
/// `exec` line that pip writes for long paths.
std::string interpreterOf(const std::string& path, const Environment& environment);

/// Finds the program of a command. The first word that is Python or a Python script is the program, and the words
/// before it are its wrapper. Without such a word the first word is the program.
JobProgram findJobProgram(const std::vector<std::string>& command, const Environment& environment);

} // namespace commtap
