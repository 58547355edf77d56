// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"
#include "tools/run/environment.h"

namespace commtap {

/// A command that runs a Python program, in its parts.
struct PythonCommand {
  std::vector<std::string> python;    ///< what starts Python: `env NAME=1 /venv/bin/python -u`
  std::string kind;                   ///< "script", "module" or "code"
  std::string target;                 ///< absolute path of the script, name of the module, or the code
  std::vector<std::string> arguments; ///< of the program
};

/// Splits a command. Fails for one that runs no Python program, and for one that starts ranks itself, such as torchrun.
Result<PythonCommand> splitPythonCommand(const std::vector<std::string>& command, const Environment& environment);

} // namespace commtap
