// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/cmd_plan.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/atomic_file.h"
#include "report/sweep/sweep.h"
#include "tools/cli/given_arguments.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/command/interpreter.h"
#include "tools/plan/plan_run.h"
#include "tools/plan/plan_settings.h"
#include "tools/plan/sweep_text.h"
#include "tools/plan/sweep_values.h"
#include "tools/run/preload.h"
#include "tools/run/run_setup.h"
#include "tools/run/run_summary.h"
#include "tools/text/color.h"

namespace commtap {
namespace {

constexpr const char* kPlanAbout =
    "Runs the job's own script for the ranks that differ, one process after the other, on this machine: with the\n"
    "environment of a launcher, process groups that communicate nothing, and no network. The report in --out is what\n"
    "the job would communicate; show, html, diff, check and merge read it. commtap help plan says what a plan cannot "
    "know.";
constexpr const char* kPlanExitStatus =
    "0 planned; 1 a rank ended early, and the plan has what it had communicated; 2 wrong usage, or inside a\n"
    "launched job.";

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

/// Returns "", or one line about options or surroundings with which nothing can be planned.
std::string whyNot(const PlanArguments& arguments, const std::vector<std::string>& command) {
  std::string wrong = wrongPlanOptions(arguments);
  if (!wrong.empty()) {
    return wrong;
  }
  if (command.empty()) {
    return "a command to plan is missing: commtap plan --world-size N -- python train.py";
  }
  return arguments.anyway ? "" : launchedJob(Environment(environ));
}

/// Returns the parts of the job's command.
Result<PythonCommand> commandToPlan(const std::vector<std::string>& command, const Environment& environment) {
  Result<PythonCommand> python = splitPythonCommand(command, environment);
  const std::string wrong = python ? wrongPython(*python, environment) : "";
  return wrong.empty() ? python : Result<PythonCommand>::failure(wrong);
}

/// What every plan of this command needs.
struct PlanTools {
  Environment environment; ///< of `commtap run`
  std::string planner;
};

/// Finds them, or says what is wrong, sets `exit_status` and returns nullopt.
std::optional<PlanTools> findTools(const PlanArguments& arguments, int& exit_status) {
  const Result<RunSetup> setup = setUpRun(environ, {}, executableFolder());
  const Result<std::string> planner = findPlanner();
  exit_status = kExitFindings;
  if (!setup || !planner) {
    say(setup ? planner.error() : setup.error());
    return std::nullopt;
  }
  exit_status = kExitUsage;
  if (!setup->options.enabled) {
    say("COMMTAP=0 switches commtap off, and a plan is made by counting: unset it");
    return std::nullopt;
  }
  exit_status = kExitOk;
  return PlanTools{setup->environment, *planner};
}

int planOne(const PlanArguments& arguments, const std::vector<std::string>& command, const PlanTools& tools) {
  const Result<PythonCommand> python = commandToPlan(command, Environment(environ));
  if (!python) {
    say(python.error());
    return kExitUsage;
  }
  const Result<MadePlan> made = makePlan(arguments, *python, tools.environment, tools.planner);
  if (!made) {
    say(made.error());
    return kExitFindings;
  }
  fmt::print(stderr, "{}", runSummary(made->job, arguments.out, Color::forStream(STDERR_FILENO)));
  sayAll(made->job.problems);
  return made->early_end.empty() ? kExitOk : kExitFindings; // the planner has said why it ended early
}

/// Plans one layout. A failure is part of the result.
SweptLayout planLayout(
    const PlanArguments& sweep,
    const std::vector<std::string>& command,
    const LayoutValues& values,
    const PlanTools& tools) {
  SweptLayout layout;
  layout.values = values;
  layout.folder = layoutFolder(values);
  PlanArguments arguments = sweep;
  arguments.out = sweep.out + "/" + layout.folder;
  const Result<PythonCommand> python = commandToPlan(layoutCommand(values, command), Environment(environ));
  const Result<MadePlan> made = python ? makePlan(arguments, *python, tools.environment, tools.planner)
                                       : Result<MadePlan>::failure(python.error());
  layout.failure = made ? made->early_end : made.error();
  if (!layout.failure.empty()) {
    return layout;
  }
  const Result<std::vector<Messages>> step =
      lastStepIn(arguments.out, made->job, static_cast<uint32_t>(arguments.per_node));
  if (step) {
    addMessages(*step, layout);
  } else {
    layout.failure = step.error();
  }
  return layout;
}

int planSweep(const PlanArguments& arguments, const std::vector<std::string>& command, const PlanTools& tools) {
  const Result<std::vector<LayoutValues>> layouts = layoutsOf(arguments.sweeps, command);
  if (!layouts) {
    say(layouts.error());
    return kExitUsage;
  }
  Sweep sweep{command, arguments.world_size, arguments.per_node, {}};
  for (const LayoutValues& values : *layouts) {
    sweep.layouts.push_back(planLayout(arguments, command, values, tools));
    const SweptLayout& layout = sweep.layouts.back();
    const std::string end = layout.failure.empty() ? "planned" : "failed: " + layout.failure;
    say(fmt::format("[{}/{}] {}: {}", sweep.layouts.size(), layouts->size(), layout.name(), end));
    if (layout.failure == kPlanStopped) {
      break;
    }
  }
  sortLayouts(sweep.layouts);
  const std::string error = writeFileAtomically(arguments.out + "/" + kSweepFile, sweepToJson(sweep));
  if (!error.empty()) {
    say(error);
    return kExitFindings;
  }
  const int printed = printOut(sweepText(sweep, Color::forStream(STDOUT_FILENO)));
  const bool has_failed = !sweep.layouts.empty() && !sweep.layouts.back().failure.empty();
  return has_failed ? kExitFindings : printed;
}

int plan(const PlanArguments& arguments, const std::vector<std::string>& command) {
  const std::string wrong = whyNot(arguments, command);
  if (!wrong.empty()) {
    say(wrong);
    return kExitUsage;
  }
  int exit_status = kExitOk;
  const std::optional<PlanTools> tools = findTools(arguments, exit_status);
  if (!tools) {
    return exit_status;
  }
  return arguments.sweeps.empty() ? planOne(arguments, command, *tools) : planSweep(arguments, command, *tools);
}

void addOptions(CLI::App& verb, PlanArguments& arguments) {
  verb.add_option("--world-size", arguments.world_size, "The number of ranks of the job")
      ->required()
      ->check(between(1, 1U << 20U))
      ->type_name("N");
  verb.add_option(
          "--ranks",
          arguments.ranks,
          "The ranks to plan: 0,1,8-15, or all; auto, the default: one for each role in the device mesh")
      ->type_name("LIST");
  verb.add_option("--steps", arguments.steps, "End after N training steps; default: 3; 0: the script decides")
      ->check(atLeast(0))
      ->type_name("N");
  verb.add_option("--forwards", arguments.forwards, "End after N forwards of the model, for a script without steps")
      ->check(atLeast(0))
      ->type_name("N");
  verb.add_flag("--real", arguments.real, "Real tensors: what a rank holds must fit into this machine");
  verb.add_flag("--fake", arguments.fake, "Tensors without values; the default if real ones would not fit");
  verb.add_option("--jobs", arguments.jobs, "Run N ranks at a time; default: 1")->check(atLeast(1))->type_name("N");
  verb.add_option("--launcher", arguments.launcher, "Whose environment the ranks get; default: torchrun")
      ->check(oneOf({"torchrun", "srun", "mpi"}))
      ->type_name("torchrun|srun|mpi");
  verb.add_option("--gpus-per-node", arguments.per_node, "Ranks per node; default: 8")
      ->check(atLeast(1))
      ->type_name("N");
  verb.add_option("--out", arguments.out, "The folder of the plan; default: commtap-plan")->type_name("PATH");
  verb.add_option("--workdir", arguments.workdir, "The folder in which the script runs; default: the current one")
      ->type_name("PATH");
  verb.add_option(
          "--sweep",
          arguments.sweeps,
          "Plan a layout for each value: {NAME} in the command is replaced; several --sweep: all combinations")
      ->type_name("NAME=V1,V2")
      ->allow_extra_args(false);
  verb.add_flag(
      "--assume-balanced",
      arguments.assume_balanced,
      "Take splits of an all_to_all that data decides for equal, as if every expert got as many tokens");
  verb.add_flag("--anyway", arguments.anyway, "Plan also inside a launched job");
}

} // namespace

void addPlan(CLI::App& app, GivenArguments& given, int& exit_status) {
  given.splitBy("plan", splitAtDashes);
  CLI::App* verb = app.add_subcommand("plan", "Say what a job would communicate at any size, without a cluster");
  describe(
      *verb,
      {.usage = "commtap plan --world-size N [OPTIONS] -- python SCRIPT [ARGUMENTS]",
       .about = kPlanAbout,
       .exit_status = kPlanExitStatus,
       .examples = {
           "commtap plan --world-size 1024 --out plan -- python train.py --config 70b.toml",
           "commtap plan --world-size 64 --sweep tp=1,2,4,8 --out layouts -- python train.py --tp {tp}",
           "commtap diff plan run",
           "commtap check run --plan plan"}});
  auto arguments = std::make_shared<PlanArguments>();
  addOptions(*verb, *arguments);
  verb->callback([arguments, &given, &exit_status] { exit_status = plan(*arguments, given.command()); });
}

} // namespace commtap
