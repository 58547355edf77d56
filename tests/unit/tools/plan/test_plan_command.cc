// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_command.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

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

} // namespace
} // namespace commtap
