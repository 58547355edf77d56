// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tools/build_tracker/cmd_build_tracker.h"
#include "tools/cli/cmd_completion.h"
#include "tools/cli/cmd_recover.h"
#include "tools/cli/given_arguments.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/usage_error.h"
#include "tools/demo/cmd_demo.h"
#include "tools/docs/cmd_options.h"
#include "tools/doctor/cmd_doctor.h"
#include "tools/export/cmd_export.h"
#include "tools/help/cmd_help.h"
#include "tools/html/cmd_html.h"
#include "tools/job/cmd_advise.h"
#include "tools/job/cmd_check.h"
#include "tools/job/cmd_diff.h"
#include "tools/job/cmd_merge.h"
#include "tools/list/cmd_list.h"
#include "tools/plan/cmd_plan.h"
#include "tools/prune/cmd_prune.h"
#include "tools/run/cmd_env.h"
#include "tools/run/cmd_run.h"
#include "tools/serve/cmd_serve.h"
#include "tools/show/cmd_show.h"
#include "tools/top/cmd_top.h"
#include "tools/verify/cmd_verify.h"
#include "tools/why/cmd_why.h"

namespace commtap {
namespace {

constexpr const char* kExample =
    "commtap run --out out -- torchrun --nproc-per-node 4 train.py\n"
    "commtap show out\n"
    "commtap merge out\n"
    "commtap diff yesterday today";

/// Returns whether a subcommand reads reports.
bool readsFolder(const CLI::App& verb) {
  const std::vector<const CLI::Option*> options = verb.get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_name().starts_with("PATH") || option->get_name().starts_with("FOLDER");
  });
}

/// Puts the verbs that were added since the last call into a group of the help.
void group(CLI::App& app, const char* name) {
  static const std::string default_group = CLI::App().get_group();
  for (CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_group() == default_group) {
      verb->group(name);
    }
  }
}

/// Adds the verbs in the order of the help.
void addVerbs(CLI::App& app, GivenArguments& given, int& exit_status) {
  addRun(app, given, exit_status);
  addDoctor(app, given, exit_status);
  addDemo(app, exit_status);
  group(app, "Count");
  addShow(app, given, exit_status);
  addList(app, exit_status);
  addMerge(app, exit_status);
  addAdvise(app, exit_status);
  addHtml(app, exit_status);
  addExport(app, exit_status);
  group(app, "Look");
  addDiff(app, exit_status);
  addCheck(app, exit_status);
  addVerify(app, exit_status);
  group(app, "Compare");
  addPlan(app, given, exit_status);
  group(app, "Plan");
  addWhy(app, exit_status);
  addTop(app, exit_status);
  group(app, "A hang");
  addServe(app, exit_status);
  addPrune(app, exit_status);
  group(app, "Operate");
  addHelp(app, exit_status);
  group(app, "Documentation");
  addRecover(app, exit_status);
  addEnv(app, exit_status);
  addBuildTracker(app, given, exit_status);
  addCompletion(app, exit_status);
  group(app, "Seldom needed");
  addOptions(app, exit_status); // hidden
}

int parse(CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    fmt::print("{}", app.help());
    return kExitUsage;
  }
  if (const std::string wrong = unknownNameIn(app, arguments); !wrong.empty()) {
    say(wrong);
    return kExitUsage;
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend())); // in the order that the library wants
    return kExitOk;
  } catch (const CLI::Success& success) { // --help and --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    say(usageError(app, arguments, error));
    return kExitUsage;
  }
}

} // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
  CLI::App app("Counts every collective of a PyTorch job by module, phase, op and group.", "commtap");
  describe(
      app,
      {.usage = "commtap COMMAND ...",
       .about = "commtap COMMAND --help explains a command and its options; commtap help lists the pages of the "
                "documentation.",
       .examples = {kExample}});
  app.set_version_flag("--version", std::string("commtap ") + COMMTAP_VERSION);
  app.require_subcommand(1);
  int exit_status = kExitOk;
  GivenArguments given;
  addVerbs(app, given, exit_status);
  for (CLI::App* verb : app.get_subcommands({})) {
    if (readsFolder(*verb)) {
      addInputLimit(*verb);
    }
  }
  const int parsed = parse(app, given.read(arguments));
  return parsed != kExitOk ? parsed : exit_status;
}

} // namespace commtap
