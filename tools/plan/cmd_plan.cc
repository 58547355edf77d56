// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/atomic_file.h"
#include "report/sweep/sweep.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/command/interpreter.h"
#include "tools/plan/plan_run.h"
#include "tools/plan/plan_settings.h"
#include "tools/plan/sweep_values.h"
#include "tools/run/preload.h"
#include "tools/run/run_setup.h"
#include "tools/run/run_summary.h"
#include "tools/show/show_json.h"
#include "tools/text/table.h"

namespace commtap {
namespace {

constexpr const char* kPlanAbout =
    "Runs the job's own script for the ranks that differ, one process after the other, on this machine: with the\n"
    "environment of a launcher, process groups that communicate nothing, and no network. The report in --out is what\n"
    "the job would communicate; show, html, diff, check and export read it. commtap help plan says what a plan cannot "
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

PlanTools findTools() {
  const RunSetup setup = orEnd(setUpRun(environ, {}, executableFolder()), kExitFindings);
  endIf(setup.options.enabled ? "" : "COMMTAP=0 switches commtap off, and a plan is made by counting: unset it");
  return {setup.environment, orEnd(findPlanner(), kExitFindings)};
}

int planOne(const PlanArguments& arguments, const std::vector<std::string>& command, const PlanTools& tools) {
  const PythonCommand python = orEnd(commandToPlan(command, Environment(environ)));
  const MadePlan made = orEnd(makePlan(arguments, python, tools.environment, tools.planner), kExitFindings);
  fmt::print(stderr, "{}", runSummary(made.job, arguments.out, Color::forStream(STDERR_FILENO)));
  sayAll(made.job.problems);
  const int printed = arguments.json ? printOut(showJson(mergedView({}, made.job))) : kExitOk;
  return made.early_end.empty() ? printed : kExitFindings; // the planner has said why it ended early
}

/// Plans one layout. A failure is part of the result.
SweptLayout planLayout(
    const PlanArguments& sweep,
    const std::vector<std::string>& command,
    const LayoutValues& values,
    const PlanTools& tools) {
  SweptLayout layout;
  layout.name = layoutName(values);
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
  const std::vector<LayoutValues> layouts = orEnd(layoutsOf(arguments.sweeps, command));
  Sweep sweep{.command = command, .world_size = arguments.world_size, .per_node = arguments.per_node};
  for (const LayoutValues& values : layouts) {
    sweep.layouts.push_back(planLayout(arguments, command, values, tools));
    const SweptLayout& layout = sweep.layouts.back();
    const std::string end = layout.failure.empty() ? "planned" : "failed: " + layout.failure;
    say(fmt::format("[{}/{}] {}: {}", sweep.layouts.size(), layouts.size(), layout.name, end));
    if (layout.failure == kPlanStopped) {
      break;
    }
  }
  sortLayouts(sweep.layouts);
  const std::string document = sweepToJson(sweep);
  endIf(writeFileAtomically(arguments.out + "/" + kSweepFile, document), kExitFindings);
  const int printed = printOut(arguments.json ? document : sweepText(sweep, Color::forStream(STDOUT_FILENO)));
  const bool has_failed = !sweep.layouts.empty() && !sweep.layouts.back().failure.empty();
  return has_failed ? kExitFindings : printed;
}

int plan(const PlanArguments& arguments, const std::vector<std::string>& command) {
  endIf(whyNot(arguments, command));
  const PlanTools tools = findTools();
  return arguments.sweeps.empty() ? planOne(arguments, command, tools) : planSweep(arguments, command, tools);
}

/// Returns the options that say what is planned.
OptionTable jobOptions(PlanArguments& arguments) {
  constexpr double kMostRanks = 1U << 20U;
  return {
      {.names = "--world-size",
       .value = "N",
       .help = "The number of ranks of the job",
       .to = &arguments.world_size,
       .least = 1,
       .most = kMostRanks,
       .required = true},
      {.names = "--ranks",
       .value = "LIST",
       .help = "The ranks to plan: 0,1,8-15, or all; auto, the default: one for each role in the device mesh",
       .to = &arguments.ranks},
      {.names = "--steps",
       .value = "N",
       .help = "End after N training steps; default: 3; 0: the script decides",
       .to = &arguments.steps,
       .least = 0},
      {.names = "--forwards",
       .value = "N",
       .help = "End after N forwards of the model, for a script without steps",
       .to = &arguments.forwards,
       .least = 0},
      {.names = "--real", .help = "Real tensors: what a rank holds must fit into this machine", .to = &arguments.real},
      {.names = "--fake",
       .help = "Tensors without values; the default if real ones would not fit",
       .to = &arguments.fake}};
}

/// Returns the options that say how it is planned.
OptionTable rankOptions(PlanArguments& arguments) {
  return {
      {.names = "--jobs", .value = "N", .help = "Run N ranks at a time; default: 1", .to = &arguments.jobs, .least = 1},
      {.names = "--launcher",
       .help = "Whose environment the ranks get; default: torchrun",
       .to = &arguments.launcher,
       .words = {"torchrun", "srun", "mpi"}},
      {.names = "--gpus-per-node",
       .value = "N",
       .help = "Ranks per node; default: 8",
       .to = &arguments.per_node,
       .least = 1},
      {.names = "--out",
       .value = "PATH",
       .help = "The folder of the plan; default: commtap-plan",
       .to = &arguments.out},
      {.names = "--workdir",
       .value = "PATH",
       .help = "The folder in which the script runs; default: the current one",
       .to = &arguments.workdir},
      {.names = "--sweep",
       .value = "NAME=V1,V2",
       .help = "Plan a layout for each value: {NAME} in the command is replaced; several --sweep: all combinations",
       .to = &arguments.sweeps},
      {.names = "--assume-balanced",
       .help = "Take splits of an all_to_all that data decides for equal, as if every expert got as many tokens",
       .to = &arguments.assume_balanced},
      {.names = "--anyway", .help = "Plan also inside a launched job", .to = &arguments.anyway},
      {.names = "--json",
       .help = "Print JSON, that of commtap show; with --sweep: commtap help commtap-sweep-1.schema.json",
       .to = &arguments.json}};
}

} // namespace

Verb planVerb() {
  auto arguments = std::make_shared<PlanArguments>();
  return {
      .name = "plan",
      .help = "Say what a job would communicate at any size, without a cluster",
      .usage = "commtap plan --world-size N [OPTIONS] -- python SCRIPT [ARGUMENTS]",
      .about = kPlanAbout,
      .exit_status = kPlanExitStatus,
      .examples =
          {"commtap plan --world-size 1024 --out plan -- python train.py --config 70b.toml",
           "commtap plan --world-size 64 --sweep tp=1,2,4,8 --out layouts -- python train.py --tp {tp}",
           "commtap diff plan run",
           "commtap check run --plan plan"},
      .options = jobOptions(*arguments) + rankOptions(*arguments),
      .command = Command::kAfterDashes,
      .run = [arguments](const Given& given) { return plan(*arguments, given.command); }};
}

} // namespace commtap
