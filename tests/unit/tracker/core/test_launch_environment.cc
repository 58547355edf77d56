// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/launch_environment.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

#include "tests/unit/child.h"

namespace commtap {
namespace {

using Environment = std::map<std::string, std::string>;

void setOnly(const Environment& environment) {
  for (const char* name :
       {"WORLD_SIZE",
        "LOCAL_WORLD_SIZE",
        "TORCHELASTIC_ERROR_FILE",
        "TORCHELASTIC_RUN_ID",
        "SLURM_JOB_ID",
        "SLURM_STEP_ID",
        "SLURM_JOB_NAME",
        "WANDB_NAME",
        "MASTER_ADDR",
        "MASTER_PORT"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
}

std::string runIdWith(const Environment& environment) {
  const ChildResult child = runInChild([&] {
    setOnly(environment);
    sayLine(launchedRunId("node1"));
  });
  return child.said.substr(0, child.said.find('\n'));
}

TEST_CASE("the run id comes from Slurm, then torchrun, then the master's address, then the shell") {
  Environment environment;
  CHECK(runIdWith(environment) == "node1-" + std::to_string(getpgrp()));
  environment["MASTER_PORT"] = "29500";
  environment["MASTER_ADDR"] = "node7";
  CHECK(runIdWith(environment) == "node7:29500");
  environment["TORCHELASTIC_RUN_ID"] = "none"; // torchrun's default names no run
  CHECK(runIdWith(environment) == "node7:29500");
  environment["TORCHELASTIC_RUN_ID"] = "elastic";
  CHECK(runIdWith(environment) == "elastic");
  environment["SLURM_JOB_ID"] = "4711";
  CHECK(runIdWith(environment) == "4711");
  environment["SLURM_STEP_ID"] = "0";
  CHECK(runIdWith(environment) == "4711.0");
}

TEST_CASE("a run has the name that the user gave it elsewhere") {
  const auto name_with = [](const Environment& environment) {
    const ChildResult child = runInChild([&] {
      setOnly(environment);
      sayLine(launchedName());
    });
    return child.said.substr(0, child.said.find('\n'));
  };
  CHECK(name_with({}).empty());
  CHECK(name_with({{"SLURM_JOB_NAME", "pretrain"}}) == "pretrain");
  CHECK(name_with({{"SLURM_JOB_NAME", "pretrain"}, {"WANDB_NAME", "lr 3e-4"}}) == "lr 3e-4");
}

TEST_CASE("two torchruns with the same address have two run ids, if each starts all ranks") {
  Environment environment{
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", "29500"},
      {"TORCHELASTIC_RUN_ID", "none"},
      {"TORCHELASTIC_ERROR_FILE", "/tmp/torchelastic_u1/none_ab_d3f_h/attempt_0/0/error.json"},
      {"WORLD_SIZE", "4"},
      {"LOCAL_WORLD_SIZE", "4"}};
  CHECK(runIdWith(environment) == "127.0.0.1:29500-ab_d3f_h");
  environment["TORCHELASTIC_ERROR_FILE"] = "/tmp/torchelastic_u1/none_ab_d3f_h/attempt_2/3/error.json";
  CHECK(runIdWith(environment) == "127.0.0.1:29500-ab_d3f_h");
  environment["TORCHELASTIC_ERROR_FILE"] = "";
  CHECK(runIdWith(environment) == "127.0.0.1:29500");
  environment["TORCHELASTIC_ERROR_FILE"] = "/somewhere/error.json";
  CHECK(runIdWith(environment) == "127.0.0.1:29500");
  environment["TORCHELASTIC_ERROR_FILE"] = "/tmp/torchelastic_u1/none_abcdefgh/attempt_0/0/error.json";
  environment["LOCAL_WORLD_SIZE"] = "2"; // another host has another folder
  CHECK(runIdWith(environment) == "127.0.0.1:29500");
}

TEST_CASE("a variable that is not a number >= 0 is -1") {
  const ChildResult child = runInChild([] {
    for (const char* value : {"", "x", "-3", "3x", "99999999999999999999", "7"}) {
      setenv("WORLD_SIZE", value, 1);
      sayLine(std::to_string(environmentNumber("WORLD_SIZE")));
    }
    unsetenv("WORLD_SIZE");
    sayLine(std::to_string(environmentNumber("WORLD_SIZE")));
  });
  CHECK(child.said == "-1\n-1\n-1\n-1\n-1\n7\n-1\n");
}

} // namespace
} // namespace commtap
