// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/cmd_completion.h"
#include "tools/cli/cmd_recover.h"
#include "tools/cli/command_tree.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/docs/cmd_options.h"
#include "tools/export/cmd_export.h"
#include "tools/html/cmd_html.h"
#include "tools/job/cmd_check.h"
#include "tools/job/cmd_diff.h"
#include "tools/job/cmd_merge.h"
#include "tools/live/cmd_serve.h"
#include "tools/live/cmd_top.h"
#include "tools/run/cmd_run.h"
#include "tools/show/cmd_show.h"

namespace commtap {
namespace {

constexpr const char* kExample =
    "commtap run --out out -- torchrun --nproc-per-node 4 train.py\n"
    "commtap show out\n"
    "commtap merge out\n"
    "commtap diff yesterday today";

std::string wrongUsage(const CLI::App& app, const std::string& first, const CLI::ParseError& error) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  if (!verbs.empty()) {
    return fmt::format("{} (see commtap {} --help)", error.what(), verbs[0]->get_name());
  }
  const std::string found = first.empty() ? "a command is missing" : fmt::format("\"{}\" is not a command", first);
  std::vector<std::string> names;
  for (const SubcommandInfo& verb : verbsOf(app)) {
    names.push_back(verb.name);
  }
  return fmt::format("{}; the commands are {} (see commtap --help)", found, fmt::join(names, ", "));
}

int parse(CLI::App& app, std::vector<std::string> arguments) {
  const std::string first = arguments.empty() ? "" : arguments[0];
  std::reverse(arguments.begin(), arguments.end()); // as the library wants them
  try {
    app.parse(std::move(arguments));
    return kExitOk;
  } catch (const CLI::Success& success) { // --help and --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    say(wrongUsage(app, first, error));
    return kExitUsage;
  }
}

} // namespace

int runCommandLine(const std::vector<std::string>& arguments) {
  RunArguments run;
  std::vector<std::string> own = arguments;
  if (!arguments.empty() && arguments[0] == "run") {
    run = splitRunArguments({arguments.begin() + 1, arguments.end()});
    own.assign(1, "run");
    own.insert(own.end(), run.own.begin(), run.own.end());
  }
  CLI::App app("Counts every collective of a PyTorch job by module, phase, op and group.", "commtap");
  describe(app, {.usage = "commtap COMMAND ...", .about = "Each command has its own --help.", .examples = {kExample}});
  app.set_version_flag("--version", std::string("commtap ") + COMMTAP_VERSION);
  app.require_subcommand(1);
  int exit_status = kExitOk;
  addRun(app, run.command, exit_status);
  addShow(app, exit_status);
  addMerge(app, exit_status);
  addDiff(app, exit_status);
  addCheck(app, exit_status);
  addHtml(app, exit_status);
  addExport(app, exit_status);
  addServe(app, exit_status);
  addTop(app, exit_status);
  addRecover(app, exit_status);
  addCompletion(app, exit_status);
  addOptions(app, exit_status);
  const int parsed = parse(app, own);
  return parsed != kExitOk ? parsed : exit_status;
}

} // namespace commtap
