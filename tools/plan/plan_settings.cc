// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_settings.h"

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace commtap {
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
