// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_settings.h"

#include <sys/stat.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Words = std::vector<std::string>;

/// A PATH with a Python, torchrun and a program that is not Python.
struct Machine {
  Machine() : environment(std::vector<const char*>{nullptr}.data()) {
    add("python3", "#!/bin/sh\n");
    add("torchrun", "#!" + folder.path() + "/python3\n");
    add("tool", "#!" + folder.path() + "/python3\n");
    add("binary", "#!/bin/sh\n");
    environment.set("PATH", folder.path());
  }
  void add(const std::string& name, const std::string& text) const {
    writeText(folder / name, text);
    chmod((folder / name).c_str(), 0755);
  }
  std::string python() const {
    return folder / "python3";
  }

  TempFolder folder;
  Environment environment;
};

TEST_CASE("a script, its arguments and Python's own options are distinguished") {
  const Machine machine;
  const Result<PythonCommand> split =
      splitPythonCommand({"python3", "-u", "-X", "dev", "/job/train.py", "--tp", "8"}, machine.environment);
  REQUIRE(split);
  CHECK(split->python == Words{machine.python(), "-u", "-X", "dev"});
  CHECK(split->kind == "script");
  CHECK(split->target == "/job/train.py");
  CHECK(split->arguments == Words{"--tp", "8"});
}

TEST_CASE("a module and code are programs too") {
  const Machine machine;
  const Result<PythonCommand> module = splitPythonCommand({"python3", "-m", "job.train", "-m"}, machine.environment);
  REQUIRE(module);
  CHECK(module->kind == "module");
  CHECK(module->target == "job.train");
  CHECK(module->arguments == Words{"-m"});
  const Result<PythonCommand> code = splitPythonCommand({"python3", "-c", "print(1)"}, machine.environment);
  REQUIRE(code);
  CHECK(code->kind == "code");
  CHECK(code->target == "print(1)");
}

TEST_CASE("a script with a first line of Python is its own program") {
  const Machine machine;
  const Result<PythonCommand> split = splitPythonCommand({"tool", "--tp", "8"}, machine.environment);
  REQUIRE(split);
  CHECK(split->python == Words{machine.python()});
  CHECK(split->target == machine.folder / "tool");
  CHECK(split->arguments == Words{"--tp", "8"});
}

TEST_CASE("what starts ranks, runs no Python or has no script is refused with the way out") {
  const Machine machine;
  for (const Words& command : {
           Words{"torchrun", "--nproc-per-node", "4", "train.py"},
           Words{"python3", "-m", "torch.distributed.run", "train.py"},
           Words{"srun", "python3", "train.py"},
           Words{"binary"},
           Words{"python3"},
           Words{"python3", "-m"},
       }) {
    const Result<PythonCommand> split = splitPythonCommand(command, machine.environment);
    REQUIRE_FALSE(split);
    CHECK(split.error().find("python train.py") != std::string::npos);
  }
}

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
