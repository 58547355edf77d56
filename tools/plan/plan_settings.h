// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
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

/// The options of `commtap plan`.
struct PlanArguments {
  int64_t world_size = 0;
  std::string ranks = "auto";
  int64_t steps = 3;
  int64_t forwards = 0;
  bool real = false;
  bool fake = false;
  bool anyway = false;
  int64_t jobs = 1;
  std::string launcher = "torchrun";
  int64_t per_node = 8;
  std::string out = "commtap-plan";
  std::string workdir;
  std::vector<std::string> sweeps; ///< "tp=1,2,4"
  bool assume_balanced = false;
  bool json = false;
};

/// Returns "", or one line about a job that a launcher has started around this process, which a plan must not touch.
std::string launchedJob(const Environment& environment);

/// Returns "", or one line about options that do not go together or that no plan can follow.
std::string wrongPlanOptions(const PlanArguments& arguments);

/// Returns the planner's settings as JSON. `planned`: the environment of `commtap run`, whose variables of commtap and
/// of the loader each planned process gets.
std::string planSettings(const PlanArguments& arguments, const PythonCommand& command, const Environment& planned);

} // namespace commtap
