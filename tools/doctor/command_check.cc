// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/command_check.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/command/linked_program.h"

namespace commtap {
namespace {

/// How a program starts the command in its arguments.
enum class Launch : uint8_t {
  kHere,      ///< on this machine, with this environment
  kElsewhere, ///< on the machines of a cluster
  kContained, ///< in a container or on another machine, with other files and another environment
  kUnknown,
};

struct LauncherRow {
  std::string_view name;
  Launch launch;
};

constexpr auto kLaunchers = std::to_array<LauncherRow>({
    {"apptainer", Launch::kContained},   {"chrt", Launch::kHere},         {"docker", Launch::kContained},
    {"enroot", Launch::kContained},      {"env", Launch::kHere},          {"flux", Launch::kElsewhere},
    {"ionice", Launch::kHere},           {"kubectl", Launch::kContained}, {"mpiexec", Launch::kElsewhere},
    {"mpirun", Launch::kElsewhere},      {"nice", Launch::kHere},         {"numactl", Launch::kHere},
    {"orterun", Launch::kElsewhere},     {"pdsh", Launch::kContained},    {"podman", Launch::kContained},
    {"prlimit", Launch::kHere},          {"setarch", Launch::kHere},      {"setsid", Launch::kHere},
    {"singularity", Launch::kContained}, {"srun", Launch::kElsewhere},    {"ssh", Launch::kContained},
    {"stdbuf", Launch::kHere},           {"taskset", Launch::kHere},      {"time", Launch::kHere},
    {"timeout", Launch::kHere},
});

Launch launchOf(const std::string& word) {
  const std::string name = word.substr(word.rfind('/') + 1);
  const auto* row = std::find_if(
      kLaunchers.begin(), kLaunchers.end(), [&name](const LauncherRow& each) { return each.name == name; });
  return row == kLaunchers.end() ? Launch::kUnknown : row->launch;
}

/// Returns the words of a wrapper that start the next ones: the first word, launchers, and privileged programs, which
/// drop LD_PRELOAD. Other words are taken for arguments.
std::vector<std::string> launchersIn(const std::vector<std::string>& wrapper, const Environment& environment) {
  std::vector<std::string> launchers;
  for (const std::string& word : wrapper) {
    if (launchers.empty() || launchOf(word) != Launch::kUnknown || isPrivileged(findOnPath(word, environment))) {
      launchers.push_back(word);
    }
  }
  return launchers;
}

/// Returns whether Slurm's `--export` leaves out the variables that `commtap run` sets.
bool dropsEnvironment(const std::vector<std::string>& wrapper) {
  return std::any_of(wrapper.begin(), wrapper.end(), [](const std::string& word) {
    return word.starts_with("--export=") && word.find("ALL") == std::string::npos;
  });
}

Diagnosis commandDiagnosis(Health health, std::string found, std::string todo) {
  return {DoctorCheck::kCommand, health, std::move(found), std::move(todo)};
}

/// Checks one of the programs that start the job.
Diagnosis checkLauncher(const std::string& name, const JobProgram& program, const Environment& environment) {
  const auto behind = [&name](const char* verb) { return fmt::format("{} ... commtap {} -- COMMAND", name, verb); };
  if (const std::string path = findOnPath(name, environment); isPrivileged(path)) {
    return commandDiagnosis(Health::kError, whyNoPreload(path, environment), "put commtap behind it: " + behind("run"));
  }
  switch (launchOf(name)) {
    case Launch::kElsewhere:
      if (dropsEnvironment(program.wrapper)) {
        return commandDiagnosis(
            Health::kError,
            fmt::format("{} starts {} without LD_PRELOAD, because of --export", name, program.path),
            "use --export=ALL, or put commtap behind it: " + behind("run"));
      }
      return commandDiagnosis(
          Health::kWarning,
          fmt::format("{} starts {} on other machines, which doctor does not see", name, program.path),
          "check there: " + behind("doctor"));
    case Launch::kContained:
      return commandDiagnosis(
          Health::kWarning,
          fmt::format("{} starts {} with other files and another environment", name, program.path),
          "install commtap there, and put it behind: " + behind("run"));
    case Launch::kUnknown:
      return commandDiagnosis(
          Health::kWarning,
          fmt::format("doctor does not know whether {} passes LD_PRELOAD to {}", name, program.path),
          "check behind it: " + behind("doctor"));
    case Launch::kHere:
      break;
  }
  return commandDiagnosis(Health::kOk, program.path, "");
}

Diagnosis checkLaunchers(const JobProgram& program, const Environment& environment) {
  Diagnosis worst = commandDiagnosis(Health::kOk, program.path, "");
  const std::vector<std::string> launchers = launchersIn(program.wrapper, environment);
  if (!launchers.empty()) {
    worst.found += fmt::format(", started by {}", fmt::join(launchers, ", "));
  }
  for (const std::string& name : launchers) {
    Diagnosis diagnosis = checkLauncher(name, program, environment);
    if (diagnosis.health > worst.health) {
      worst = std::move(diagnosis);
    }
  }
  return worst;
}

} // namespace

bool mayRunWrapper(const std::vector<std::string>& wrapper, const Environment& environment) {
  const std::vector<std::string> launchers = launchersIn(wrapper, environment);
  return std::all_of(launchers.begin(), launchers.end(), [&environment](const std::string& name) {
    return launchOf(name) == Launch::kHere && !isPrivileged(findOnPath(name, environment));
  });
}

Diagnosis
checkCommand(const std::vector<std::string>& command, const JobProgram& program, const Environment& environment) {
  if (findOnPath(command[0], environment).empty()) {
    return commandDiagnosis(
        Health::kError,
        command[0] + " is not a program on the PATH",
        "activate the environment that has it, or give its full path");
  }
  if (const std::string why = whyNoPreload(program.path, environment); !why.empty()) {
    return commandDiagnosis(Health::kError, why, "use a program that is dynamically linked and has no privileges");
  }
  return checkLaunchers(program, environment);
}

} // namespace commtap
