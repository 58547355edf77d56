// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_settings.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace commtap {
namespace {

Environment environmentOf(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return Environment(variables.data());
}

TEST_CASE("a process of a launched job is recognised") {
  CHECK(launchedJob(environmentOf({"PATH=/bin"})).empty());
  CHECK(launchedJob(environmentOf({"RANK=3", "WORLD_SIZE=8"})).starts_with("RANK is 3: "));
  CHECK(launchedJob(environmentOf({"OMPI_COMM_WORLD_RANK=0"})).starts_with("OMPI_COMM_WORLD_RANK is 0: "));
  CHECK(launchedJob(environmentOf({"SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2"})).starts_with("SLURM_PROCID is 1: "));
}

TEST_CASE("a shell on a node of Slurm is no job") {
  CHECK(launchedJob(environmentOf({"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1"})).empty());
}

TEST_CASE("options that no plan can follow are named") {
  PlanArguments arguments;
  CHECK(wrongPlanOptions(arguments).empty());
  arguments.ranks = "0,1,8-15";
  CHECK(wrongPlanOptions(arguments).empty());
  arguments.ranks = "first";
  CHECK(wrongPlanOptions(arguments).starts_with("--ranks is \"first\": "));
  arguments = {};
  arguments.real = arguments.fake = true;
  CHECK_FALSE(wrongPlanOptions(arguments).empty());
}

TEST_CASE("the planner receives the options, the command and commtap's variables") {
  PlanArguments arguments;
  arguments.world_size = 1024;
  arguments.fake = true;
  arguments.out = "/plan";
  const Environment planned = environmentOf({"LD_PRELOAD=/lib/libcommtap.so", "COMMTAP_RUN_ID=run-1", "HOME=/root"});
  const auto settings = nlohmann::json::parse(
      planSettings(arguments, {{"/bin/python3", "-u"}, "script", "/job/train.py", {"--tp", "8"}}, planned));
  CHECK(settings["world_size"] == 1024);
  CHECK(settings["depth"] == "fake");
  CHECK(settings["out"] == "/plan");
  CHECK(settings["workdir"] == "");
  CHECK(settings["python"] == std::vector<std::string>{"/bin/python3", "-u"});
  CHECK(settings["arguments"] == std::vector<std::string>{"--tp", "8"});
  CHECK(settings["variables"] == nlohmann::json({{"LD_PRELOAD", "/lib/libcommtap.so"}, {"COMMTAP_RUN_ID", "run-1"}}));
}

} // namespace
} // namespace commtap
