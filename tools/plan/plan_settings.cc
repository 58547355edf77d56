// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_settings.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "tools/command/interpreter.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using PythonResult = Result<PythonCommand>;

constexpr std::array kLaunchers = {"torchrun", "srun", "mpirun", "mpiexec", "orterun", "accelerate", "deepspeed"};
constexpr std::array kLaunchingModules = {
    "torch.distributed.run",
    "torch.distributed.launch",
    "accelerate.commands.launch"};
/// Python's own options that a value follows.
constexpr std::array kWithValue = {"-W", "-X", "--check-hash-based-pycs"};

std::string nameOf(const std::string& word) {
  return fs::path(word).filename().string();
}

bool isOneOf(const auto& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

PythonResult startsRanks(const std::string& launcher) {
  return PythonResult::failure(fmt::format(
      "{} starts the ranks of a job; a plan starts its own: give the command of one rank: commtap plan ... -- python "
      "train.py",
      launcher));
}

std::string absolutePath(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

/// Splits the words after the interpreter.
PythonResult splitProgram(Words python, const Words& words) {
  size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-' && words[at] != "-m" && words[at] != "-c") {
    const size_t taken = isOneOf(kWithValue, words[at]) ? 2 : 1;
    for (const size_t end = std::min(at + taken, words.size()); at < end; ++at) {
      python.push_back(words[at]);
    }
  }
  const bool is_script = at < words.size() && words[at] != "-m" && words[at] != "-c";
  const size_t target = is_script ? at : at + 1;
  if (target >= words.size() || words[target] == "-") {
    return PythonResult::failure(
        fmt::format("{} has no script: give one: commtap plan ... -- python train.py", fmt::join(python, " ")));
  }
  if (!is_script && words[at] == "-m" && isOneOf(kLaunchingModules, words[target])) {
    return startsRanks(words[target]);
  }
  PythonCommand command{std::move(python), "script", words[target], {}};
  if (is_script) {
    command.target = absolutePath(command.target);
  } else {
    command.kind = words[at] == "-m" ? "module" : "code";
  }
  command.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(target) + 1, words.end());
  return command;
}

} // namespace

PythonResult splitPythonCommand(const Words& command, const Environment& environment) {
  const JobProgram program = findJobProgram(command, environment);
  const size_t at = program.wrapper.size();
  Words before = program.wrapper;
  before.push_back(command[at]);
  const auto launcher = std::find_if(
      before.begin(), before.end(), [](const std::string& word) { return isOneOf(kLaunchers, nameOf(word)); });
  if (launcher != before.end()) {
    return startsRanks(nameOf(*launcher));
  }
  if (program.python.empty()) {
    return PythonResult::failure(fmt::format(
        "{} is no Python program: a plan runs the job's Python: commtap plan ... -- python train.py", command[at]));
  }
  Words python = program.wrapper;
  python.push_back(program.python);
  const bool is_interpreter = program.path == program.python;
  Words words(command.begin() + static_cast<std::ptrdiff_t>(at) + (is_interpreter ? 1 : 0), command.end());
  if (!is_interpreter) {
    words[0] = program.path;
  }
  return splitProgram(std::move(python), words);
}

namespace {

/// A launcher's variables: the rank, and the number of ranks.
struct LaunchVariables {
  const char* rank;
  const char* size;
};
constexpr std::array kLaunchVariables = {
    LaunchVariables{"RANK", "WORLD_SIZE"},
    LaunchVariables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    LaunchVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    LaunchVariables{"PMI_RANK", "PMI_SIZE"},
};

std::string absoluteFolder(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error || path.empty() ? path : absolute.lexically_normal().string();
}

} // namespace

std::string launchedJob(const Environment& environment) {
  for (const LaunchVariables& variables : kLaunchVariables) {
    const std::string rank = environment.get(variables.rank);
    const std::string size = environment.get(variables.size);
    // A Slurm step with one task is a shell on a node.
    if (!rank.empty() && (std::string_view(variables.rank) != "SLURM_PROCID" || (size != "1" && !size.empty()))) {
      return fmt::format(
          "{} is {}: this process is part of a launched job, which a plan does not touch: run commtap plan outside of "
          "it, or give --anyway",
          variables.rank,
          rank);
    }
  }
  return {};
}

std::string wrongPlanOptions(const PlanArguments& arguments) {
  if (arguments.real && arguments.fake) {
    return "--real and --fake exclude each other";
  }
  const bool is_list = arguments.ranks.find_first_not_of("0123456789,-") == std::string::npos;
  if (arguments.ranks != "auto" && arguments.ranks != "all" && (!is_list || arguments.ranks.empty())) {
    return fmt::format("--ranks is \"{}\": it must be auto, all or ranks such as 0,1,8-15", arguments.ranks);
  }
  return {};
}

std::string planSettings(const PlanArguments& arguments, const PythonCommand& command, const Environment& planned) {
  const std::string depth = arguments.real ? "real" : arguments.fake ? "fake" : "auto";
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
  for (const char* name : {"LD_PRELOAD", "COMMTAP_RUN_ID"}) {
    variables[name] = planned.get(name);
  }
  return nlohmann::ordered_json{
      {"world_size", arguments.world_size},
      {"ranks", arguments.ranks},
      {"steps", arguments.steps},
      {"forwards", arguments.forwards},
      {"depth", depth},
      {"assume_balanced", arguments.assume_balanced},
      {"quiet", !arguments.sweeps.empty()},
      {"jobs", arguments.jobs},
      {"launcher", arguments.launcher},
      {"per_node", arguments.per_node},
      {"out", absoluteFolder(arguments.out)},
      {"workdir", absoluteFolder(arguments.workdir)},
      {"python", command.python},
      {"kind", command.kind},
      {"target", command.target},
      {"arguments", command.arguments},
      {"variables", variables},
  }
      .dump();
}

} // namespace commtap
