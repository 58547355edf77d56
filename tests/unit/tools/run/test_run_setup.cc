// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_setup.h"

#include <unistd.h>

#include <filesystem>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"
#include "tools/cli/parser.h"

namespace commtap {
namespace {

/// A build tree that has a library.
class Build {
 public:
  Build() {
    std::filesystem::create_directories(folder_ / "shim");
    writeText(folder_ / "shim/libcommtap.so", "");
  }

  Result<RunSetup> setUp(std::vector<const char*> variables, const std::map<std::string, std::string>& flags = {}) {
    variables.push_back(nullptr);
    return setUpRun(variables.data(), flags, folder_ / "tools");
  }
  std::string preloaded() const {
    return std::filesystem::canonical(folder_ / "shim/libcommtap.so");
  }

 private:
  TempFolder folder_;
};

TEST_CASE("run sets the library, an absolute folder and a new run id for the command") {
  Build build;
  const Result<RunSetup> setup = build.setUp({"PATH=/bin", "LD_PRELOAD=/x.so"});
  REQUIRE(setup);
  const Environment& environment = setup->environment;
  CHECK(environment.get("LD_PRELOAD") == "/x.so:" + build.preloaded());
  CHECK(environment.get("COMMTAP_OUT") == std::filesystem::current_path().string() + "/commtap-out/%j");
  CHECK(environment.get("COMMTAP_RUN_ID").starts_with("run-"));
  CHECK(environment.get("PATH") == "/bin");
  CHECK(setup->options.run_id == environment.get("COMMTAP_RUN_ID"));
  CHECK(build.setUp({})->options.run_id != build.setUp({})->options.run_id);
}

TEST_CASE("flags override the environment, which overrides the defaults") {
  Build build;
  const auto setup = build.setUp(
      {"COMMTAP_OUT=/env", "COMMTAP_RUN_ID=env", "COMMTAP_LOG=info"},
      {{"COMMTAP_OUT", "/flag"}, {"COMMTAP_OPS", "a::b"}});
  CHECK(setup->environment.get("COMMTAP_OUT") == "/flag");
  CHECK(setup->environment.get("COMMTAP_OPS") == "a::b");
  CHECK(setup->options.run_id == "env");
  CHECK(setup->options.log == LogLevel::kInfo);
}

TEST_CASE("an invalid flag value is reported with its flag") {
  Build build;
  CHECK(
      build.setUp({}, {{"COMMTAP_LOG", "loud"}}).error() ==
      "--log is \"loud\"; it must be off, error, warning, info or debug");
}

TEST_CASE("the tasks of a Slurm step share a run id; a single task gets a new one") {
  Build build;
  const auto many = build.setUp({"SLURM_JOB_ID=7", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2"});
  CHECK(many->options.run_id == "slurm-7.0");
  const auto one = build.setUp({"SLURM_JOB_ID=7", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=1"});
  CHECK(one->options.run_id.starts_with("run-"));
}

TEST_CASE("COMMTAP=0 changes nothing and needs no library") {
  const char* const variables[] = {"COMMTAP=0", "A=1", nullptr};
  const auto setup = setUpRun(variables, {}, "/nowhere");
  REQUIRE(setup);
  CHECK_FALSE(setup->options.enabled);
  CHECK(setup->environment.variables() == std::vector<std::string>{"COMMTAP=0", "A=1"});
}

TEST_CASE("a percent sign in the current folder is not a pattern") {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "50%h");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "50%h");
  Build build;
  const auto setup = build.setUp({}, {{"COMMTAP_OUT", "out/%r"}});
  CHECK(setup->environment.get("COMMTAP_OUT").ends_with("/50%%h/out/%r"));
  std::filesystem::current_path(before);
}

TEST_CASE("a pattern without a folder of its own gets one") {
  const TempFolder folder;
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  Build build;
  for (const auto& [pattern, out] :
       {std::pair("%r", "/commtap-out/%r"), {"./p-%r", "/./commtap-out/p-%r"}, {"%h/%r", "/commtap-out/%h/%r"}}) {
    auto setup = build.setUp({}, {{"COMMTAP_OUT", pattern}});
    CHECK(has(giveOwnFolder(*setup), "the reports go to " + folder.path()));
    CHECK(setup->options.out == folder.path() + out);
    CHECK(setup->environment.get("COMMTAP_OUT") == setup->options.out);
  }
  for (const char* pattern : {"own/%r", "%j/%r", "own"}) {
    auto setup = build.setUp({}, {{"COMMTAP_OUT", pattern}});
    CHECK(giveOwnFolder(*setup).empty());
    CHECK(setup->options.out == folder.path() + "/" + pattern);
  }
  std::filesystem::current_path(before);
}

TEST_CASE("a folder that everyone may write to is not a pattern's own") {
  const TempFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  Build build;
  auto setup = build.setUp({}, {{"COMMTAP_OUT", folder / "p-%r"}});
  CHECK_FALSE(giveOwnFolder(*setup).empty());
  CHECK(setup->options.out == folder / "commtap-out/p-%r");
}

TEST_CASE("each flag of the option table sets the value of its variable") {
  std::map<std::string, std::string> flags;
  const Verb program = {.name = "p", .verbs = {{.name = "run", .options = optionFlags(flags)}}};
  CHECK(parse(program, {"run", "--out", "/data/%j", "--name", "llama 8b"}).verb == program.verbs.data());
  CHECK(flags == std::map<std::string, std::string>{{"COMMTAP_NAME", "llama 8b"}, {"COMMTAP_OUT", "/data/%j"}});
}

TEST_CASE("the help of a flag names its variable and the default") {
  std::map<std::string, std::string> flags;
  for (const Option& option : optionFlags(flags)) {
    if (option.names == "--out") {
      CHECK(option.help.ends_with("[COMMTAP_OUT, default commtap-out]"));
    }
  }
}

} // namespace

} // namespace commtap
