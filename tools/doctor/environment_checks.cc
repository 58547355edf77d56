// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/diagnosis.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/model/options.h"
#include "tools/command/elf_file.h"
#include "tools/run/preload.h"

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
          fmt::format("{} may start {} on other machines, which doctor does not see", name, program.path),
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

namespace {

namespace fs = std::filesystem;

/// A variable by which another tool enters the process.
struct NeighbourRow {
  std::string_view variable;
  Health health;
  std::string_view meaning;
  std::string_view todo;
};

constexpr auto kNeighbourVariables = std::to_array<NeighbourRow>({
    {"LD_AUDIT",
     Health::kWarning,
     "an auditor may bind functions past commtap",
     "unset it if numbers are missing from the report"},
    {"NCCL_PROFILER_PLUGIN", Health::kOk, "the job's own plugin stays in use, and CUDA events time NCCL's kernels", ""},
    {"CUDA_INJECTION64_PATH", Health::kOk, "a profiler of CUDA calls, which commtap does not touch", ""},
    {"ROCP_TOOL_LIB", Health::kOk, "a profiler of ROCm calls, which commtap does not touch", ""},
});

constexpr auto kProfilers = std::to_array<std::string_view>({"ncu", "nsys", "perf", "rocprof", "rocprofv3", "strace"});

/// Splits one line of parseOptions() into what was found and what to do.
Diagnosis optionDiagnosis(const std::string& warning) {
  const size_t border = std::min(warning.find("; "), warning.find(": "));
  const size_t end = std::min(border, warning.size());
  return {
      DoctorCheck::kOptions,
      Health::kWarning,
      warning.substr(0, end),
      warning.substr(std::min(end + 2, warning.size()))};
}

Diagnosis neighbour(Health health, std::string found, std::string todo = {}) {
  return {DoctorCheck::kNeighbours, health, std::move(found), std::move(todo)};
}

/// Checks an entry of LD_PRELOAD other than commtap's own library.
Diagnosis checkOtherPreload(const std::string& path) {
  std::error_code error;
  const std::string name = fs::path(path).filename();
  if (path.find('/') != std::string::npos && !fs::exists(path, error)) {
    return neighbour(
        Health::kWarning,
        path + " in LD_PRELOAD does not exist: the dynamic linker says so in every process",
        "remove it from LD_PRELOAD");
  }
  if (name == "libcommtap.so") {
    return neighbour(
        Health::kWarning,
        path + " is another commtap in LD_PRELOAD: only the first copy in a process counts",
        "remove it from LD_PRELOAD");
  }
  return neighbour(Health::kOk, path + " is preloaded too");
}

} // namespace

std::vector<Diagnosis> checkOptions(const Environment& environment) {
  const ParsedOptions parsed = parseOptions(environment.pointers().data());
  std::vector<Diagnosis> diagnoses;
  if (!parsed.options.enabled) {
    diagnoses.push_back({DoctorCheck::kOptions, Health::kError, "COMMTAP=0 switches commtap off", "unset COMMTAP"});
  }
  for (const std::string& warning : parsed.warnings) {
    diagnoses.push_back(optionDiagnosis(warning));
  }
  if (diagnoses.empty()) {
    diagnoses.push_back({DoctorCheck::kOptions, Health::kOk, "every COMMTAP_ variable is an option"});
  }
  return diagnoses;
}

std::vector<Diagnosis> checkNeighbours(
    const Environment& environment,
    const std::string& library,
    const std::vector<std::string>& command,
    bool has_memory_saver) {
  std::vector<Diagnosis> diagnoses;
  for (const std::string& path : preloadsIn(environment.get("LD_PRELOAD"))) {
    std::error_code error;
    if (path != library && !fs::equivalent(path, library, error)) {
      diagnoses.push_back(checkOtherPreload(path));
    }
  }
  if (has_memory_saver && !diagnoses.empty()) {
    diagnoses.push_back(neighbour(
        Health::kWarning,
        "torch_memory_saver is installed, and its versions 0.0.8 to 0.0.9.post1 take LD_PRELOAD for one path: with two "
        "libraries in it the job ends with an OSError",
        "install another version of it, or preload commtap alone"));
  }
  for (const NeighbourRow& row : kNeighbourVariables) {
    if (const std::string value = environment.get(row.variable); !value.empty()) {
      diagnoses.push_back(
          neighbour(row.health, fmt::format("{}={}: {}", row.variable, value, row.meaning), std::string(row.todo)));
    }
  }
  for (const std::string& word : command) {
    if (std::find(kProfilers.begin(), kProfilers.end(), fs::path(word).filename().string()) != kProfilers.end()) {
      diagnoses.push_back(neighbour(Health::kOk, word + " profiles the job: its numbers include commtap's own work"));
    }
  }
  if (diagnoses.empty()) {
    diagnoses.push_back(neighbour(Health::kOk, "no other preloaded library, auditor or profiler"));
  }
  return diagnoses;
}

} // namespace commtap
