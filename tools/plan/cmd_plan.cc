// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/cmd_plan.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/atomic_file.h"
#include "report/base/text_file.h"
#include "report/job/job_report_json.h"
#include "report/merge/plan_merge.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/doctor/python_check.h"
#include "tools/plan/plan_settings.h"
#include "tools/run/launch.h"
#include "tools/run/preload.h"
#include "tools/run/run_setup.h"
#include "tools/run/run_summary.h"
#include "tools/text/color.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlanAbout =
    "Runs the job's own script for the ranks that differ, one process after the other, on this machine: with the\n"
    "environment of a launcher, process groups that communicate nothing, and no network. The report in --out is what\n"
    "the job would communicate; show, html, diff, check and merge read it. docs/plan.md says what a plan cannot know.";
constexpr const char* kPlanExitStatus =
    "0 planned; 1 a rank ended early, and the plan has what it had communicated; 2 wrong usage, or inside a\n"
    "launched job.";

constexpr std::array<const char*, 2> kPlanPlaces = {
    "plan/plan.py", // build folder
    "../share/commtap/plan/plan.py",
};

Result<std::string> findPlanner(const std::string& folder) {
  std::error_code error;
  for (const char* place : kPlanPlaces) {
    const fs::path path = (fs::path(folder) / place).lexically_normal();
    if (fs::is_regular_file(path, error)) {
      return path.string();
    }
  }
  return Result<std::string>::failure(
      fmt::format("plan.py was not found at {} of {}: install commtap again", fmt::join(kPlanPlaces, " or "), folder));
}

/// Returns "", or one line about a Python that cannot run the job.
std::string wrongPython(const PythonCommand& command, const Environment& environment) {
  const Result<Interpreter> interpreter = askInterpreter(command.python, environment);
  if (!interpreter) {
    return interpreter.error();
  }
  return interpreter->torch_folder.empty()
             ? fmt::format("{} has no torch: give the job's own Python", fmt::join(command.python, " "))
             : "";
}

/// Runs the planner. Returns its exit status.
int runPlanner(const std::vector<std::string>& command, const Environment& environment) {
  Launcher launcher;
  const Ending ending = launcher.run(command, environment.variables());
  launcher.release();
  if (ending.exec_error != 0) {
    say(fmt::format("{} cannot be started: {}", command[0], std::strerror(ending.exec_error)));
    return kExitFindings;
  }
  return WIFEXITED(ending.wait_status) ? WEXITSTATUS(ending.wait_status) : kExitFindings;
}

/// Writes the job report of all ranks. Returns the exit status.
int mergeRanks(const std::string& folder) {
  std::vector<std::string> problems;
  recoverLedgers(folder, problems);
  sayAll(problems);
  const Result<std::string> text = readTextFile(folder + "/plan/standing.outcome");
  const Result<PlanRanks> ranks = text ? PlanRanks::fromJson(*text) : Result<PlanRanks>::failure(text.error());
  if (!ranks) {
    say(fmt::format("{}: no rank was planned: {}", folder, ranks.error()));
    return kExitFindings;
  }
  const Result<JobReport> job = mergePlan(folder, *ranks);
  if (!job) {
    say(job.error());
    return kExitFindings;
  }
  fmt::print(stderr, "{}", runSummary(job, folder, Color::forStream(STDERR_FILENO)));
  sayAll(job->problems);
  std::string error = writeFileAtomically(folder + "/" + kPlanFile, jobReportToJson(*job));
  const Result<JobReport> before = mergeBeforeLast(folder, *ranks); // none in a plan of one step
  if (error.empty() && before) {
    error = writeFileAtomically(folder + "/" + kBeforeLastFile, jobReportToJson(*before));
  }
  if (!error.empty()) {
    say(error);
  }
  return error.empty() ? kExitOk : kExitFindings;
}

/// Returns the parts of the job's command, or says what is wrong and returns nullopt.
std::optional<PythonCommand>
commandToPlan(const PlanArguments& arguments, const std::vector<std::string>& command, const Environment& environment) {
  std::string wrong = wrongPlanOptions(arguments);
  if (wrong.empty() && command.empty()) {
    wrong = "a command to plan is missing: commtap plan --world-size N -- python train.py";
  }
  if (wrong.empty() && !arguments.anyway) {
    wrong = launchedJob(environment);
  }
  const Result<PythonCommand> python =
      wrong.empty() ? splitPythonCommand(command, environment) : Result<PythonCommand>::failure(wrong);
  wrong = python ? wrongPython(*python, environment) : python.error();
  if (!wrong.empty()) {
    say(wrong);
    return std::nullopt;
  }
  return *python;
}

int plan(const PlanArguments& arguments, const std::vector<std::string>& command) {
  const Environment environment(environ);
  const std::optional<PythonCommand> python = commandToPlan(arguments, command, environment);
  if (!python) {
    return kExitUsage;
  }
  const Result<RunSetup> setup = setUpRun(environ, {}, executableFolder());
  const Result<std::string> planner = findPlanner(executableFolder());
  if (!setup || !planner) {
    say(setup ? planner.error() : setup.error());
    return kExitFindings;
  }
  if (!setup->options.enabled) {
    say("COMMTAP=0 switches commtap off, and a plan is made by counting: unset it");
    return kExitUsage;
  }
  std::error_code error;
  fs::remove(arguments.out + "/" + kPlanFile, error);
  std::vector<std::string> words = python->python;
  const std::string settings = planSettings(arguments, *python, setup->environment);
  words.insert(words.end(), {*planner, "planner", settings});
  const int planned = runPlanner(words, environment);
  const int merged = mergeRanks(arguments.out);
  return planned != kExitOk ? kExitFindings : merged;
}

void addOptions(CLI::App& verb, PlanArguments& arguments) {
  verb.add_option("--world-size", arguments.world_size, "The number of ranks of the job")
      ->required()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20U))
      ->type_name("N");
  verb.add_option(
          "--ranks",
          arguments.ranks,
          "The ranks to plan: 0,1,8-15, or all; auto, the default: one for each role in the device mesh")
      ->type_name("LIST");
  verb.add_option("--steps", arguments.steps, "End after N training steps; default: 3; 0: the script decides")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  verb.add_option("--forwards", arguments.forwards, "End after N forwards of the model, for a script without steps")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  verb.add_flag("--real", arguments.real, "Real tensors: what a rank holds must fit into this machine");
  verb.add_flag("--fake", arguments.fake, "Tensors without values; the default if real ones would not fit");
  verb.add_option("--jobs", arguments.jobs, "Run N ranks at a time; default: 1")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--launcher", arguments.launcher, "Whose environment the ranks get; default: torchrun")
      ->check(oneOf({"torchrun", "srun", "mpi"}))
      ->type_name("torchrun|srun|mpi");
  verb.add_option("--gpus-per-node", arguments.per_node, "Ranks per node, for LOCAL_RANK; default: 8")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  verb.add_option("--out", arguments.out, "The folder of the plan; default: commtap-plan")->type_name("PATH");
  verb.add_option("--workdir", arguments.workdir, "The folder in which the script runs; default: the current one")
      ->type_name("PATH");
  verb.add_flag("--anyway", arguments.anyway, "Plan also inside a launched job");
}

} // namespace

RunArguments splitPlanArguments(const std::vector<std::string>& arguments) {
  const auto border = std::find(arguments.begin(), arguments.end(), "--");
  return {{arguments.begin(), border}, {border + (border == arguments.end() ? 0 : 1), arguments.end()}};
}

void addPlan(CLI::App& app, const std::vector<std::string>& command, int& exit_status) {
  CLI::App* verb = app.add_subcommand("plan", "Say what a job would communicate at any size, without a cluster");
  describe(
      *verb,
      {.usage = "commtap plan --world-size N [OPTIONS] -- python SCRIPT [ARGUMENTS]",
       .about = kPlanAbout,
       .exit_status = kPlanExitStatus,
       .examples = {
           "commtap plan --world-size 1024 --out plan -- python train.py --config 70b.toml",
           "commtap diff plan run",
           "commtap check run --plan plan"}});
  auto arguments = std::make_shared<PlanArguments>();
  addOptions(*verb, *arguments);
  verb->callback([arguments, &command, &exit_status] { exit_status = plan(*arguments, command); });
}

} // namespace commtap
