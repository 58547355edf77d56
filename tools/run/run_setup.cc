// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_setup.h"

#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "report/model/options.h"
#include "report/runs/output.h"
#include "tools/run/preload.h"

namespace commtap {
namespace {

/// The output of a run without `--out`: a folder of its own, so that runs do not mix.
constexpr const char* kOwnFolder = "commtap-out/%j";

std::string checkFlags(const std::map<std::string, std::string>& flags) {
  Options scratch;
  for (const OptionRow& row : optionTable()) {
    const auto flag = flags.find(std::string(row.name));
    if (flag != flags.end() && !row.apply(scratch, flag->second, row)) {
      return fmt::format("{} is \"{}\"; it must be {}", row.flag, flag->second, wantedValue(row));
    }
  }
  return {};
}

/// Returns one run ID for all tasks of an srun step. A step with one task may be a shell that starts many runs.
std::string slurmRunId(const Environment& environment) {
  const std::string job = environment.get("SLURM_JOB_ID");
  const std::string step = environment.get("SLURM_STEP_ID");
  const std::string tasks = environment.get("SLURM_STEP_NUM_TASKS");
  return job.empty() || step.empty() || tasks.empty() || tasks == "1" ? "" : fmt::format("slurm-{}.{}", job, step);
}

std::string freshRunId() {
  uint32_t noise = 0;
  if (getrandom(&noise, sizeof(noise), 0) != sizeof(noise)) {
    noise = static_cast<uint32_t>(getpid());
  }
  return fmt::format("run-{:%Y%m%dT%H%M%SZ}-{:08x}", fmt::gmtime(std::time(nullptr)), noise);
}

/// Returns whether a folder is the current one, the user's home, the root, or one that everyone may write to. Such a
/// folder can hold any number of files that are not reports.
bool isShared(const std::string& folder, const std::string& home) {
  struct stat facts {};
  if (stat(folder.c_str(), &facts) != 0) {
    return false;
  }
  const auto isSame = [&facts](const char* other) {
    struct stat there {};
    return stat(other, &there) == 0 && there.st_dev == facts.st_dev && there.st_ino == facts.st_ino;
  };
  return (facts.st_mode & S_IWOTH) != 0 || isSame(".") || isSame("/") || isSame(home.c_str());
}

/// Makes `pattern` absolute, so that processes with other working directories use the same folder.
std::string absolutePattern(const std::string& pattern) {
  std::error_code error;
  const std::string here = pattern.starts_with('/') ? "" : std::filesystem::current_path(error).string();
  if (here.empty()) {
    return pattern;
  }
  const std::string prefix = patternOf(here);
  return prefix + (prefix.ends_with('/') ? "" : "/") + pattern;
}

Options readOptions(const Environment& environment) {
  return parseOptions(environment.pointers().data()).options;
}

} // namespace

Result<RunSetup> setUpPreload(
    const char* const* variables,
    const std::map<std::string, std::string>& flags,
    const std::string& executable_folder) {
  if (std::string error = checkFlags(flags); !error.empty()) {
    return Result<RunSetup>::failure(std::move(error));
  }
  RunSetup setup{Environment(variables), {}};
  setup.options = readOptions(setup.environment);
  if (!setup.options.enabled) {
    return setup;
  }
  const Result<std::string> library = findLibrary(executable_folder);
  if (!library) {
    return Result<RunSetup>::failure(library.error());
  }
  if (setup.environment.get("COMMTAP_OUT").empty()) {
    setup.environment.set("COMMTAP_OUT", kOwnFolder);
  }
  for (const auto& [name, value] : flags) {
    setup.environment.set(name, value);
  }
  setup.options = readOptions(setup.environment);
  setup.environment.set("COMMTAP_OUT", absolutePattern(setup.options.out));
  setup.environment.set("LD_PRELOAD", appendPreload(setup.environment.get("LD_PRELOAD"), *library));
  setup.options = readOptions(setup.environment);
  return setup;
}

Result<RunSetup> setUpRun(
    const char* const* variables,
    const std::map<std::string, std::string>& flags,
    const std::string& executable_folder) {
  Result<RunSetup> setup = setUpPreload(variables, flags, executable_folder);
  if (setup && setup->options.enabled && setup->options.run_id.empty()) {
    const std::string slurm = slurmRunId(setup->environment);
    setup->environment.set("COMMTAP_RUN_ID", slurm.empty() ? freshRunId() : slurm);
    setup->options = readOptions(setup->environment);
  }
  return setup;
}

std::string giveOwnFolder(RunSetup& setup) {
  const std::string pattern = setup.options.out;
  const std::optional<size_t> variable = startOfVariable(pattern);
  const std::string home = setup.environment.get("HOME");
  if (!variable || !isShared(commonFolder(pattern, setup.options.run_id), home)) {
    return {};
  }
  const std::string own = pattern.substr(0, *variable) + "commtap-out/" + pattern.substr(*variable);
  setup.environment.set("COMMTAP_OUT", own);
  setup.options = readOptions(setup.environment);
  return fmt::format("--out {} has no folder of its own before %h, %p or %r: the reports go to {}", pattern, own);
}

std::string fallbackFolder(const Environment& environment) {
  const std::string temporary = environment.get("TMPDIR");
  return fmt::format("{}/commtap-{}", temporary.empty() ? "/tmp" : temporary, getuid());
}

OptionTable optionFlags(std::map<std::string, std::string>& flags) {
  OptionTable options;
  for (const OptionRow& row : optionTable()) {
    if (row.flag.empty()) {
      continue;
    }
    const std::string name(row.name);
    std::string help = fmt::format("{} [{}", row.help, row.name);
    help += row.default_value.empty() ? "]" : fmt::format(", default {}]", row.default_value);
    options.push_back(
        {.names = row.flag, .value = row.type, .help = help, .to = [&flags, name](const std::string& value) {
           flags[name] = value;
         }});
  }
  return options;
}

} // namespace commtap
