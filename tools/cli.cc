// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "tools/cli/job_input.h"
#include "tools/cli/parser.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"

namespace commtap {
namespace {

constexpr const char* kExample =
    "commtap run --out out -- torchrun --nproc-per-node 4 train.py\n"
    "commtap show out\n"
    "commtap show --ranks out\n"
    "commtap diff yesterday today";

constexpr std::string_view kSeldom = "Seldom needed";

/// Returns whether a verb reads reports.
bool readsFolder(const Verb& verb) {
  return std::any_of(verb.options.begin(), verb.options.end(), [](const Option& option) {
    return option.names == "PATH" || option.names == "FOLDER";
  });
}

/// Adds verbs with what they have in common. `group` is their heading in the help; "" hides them.
void add(Verb& program, std::string_view group, const std::vector<Verb>& verbs) {
  for (const Verb& each : verbs) {
    Verb& verb = program.verbs.emplace_back(each);
    verb.group = group;
    verb.is_seldom = group == kSeldom;
    const bool reads_folder = readsFolder(verb);
    const char* const more = reads_folder ? "; --help-all: with options that are seldom needed" : "";
    verb.options.insert(
        verb.options.begin(),
        {.names = "-h,--help", .help = std::string("Print this help message and exit").append(more)});
    if (reads_folder) {
      verb.options.push_back(inputLimit());
    }
  }
}

} // namespace

Verb commtapProgram() {
  Verb commtap = {
      .name = "commtap",
      .help = "Counts every collective of a PyTorch job by module, phase, op and group.",
      .usage = "commtap COMMAND ...",
      .about =
          "commtap COMMAND --help explains a command and its options; commtap help lists the pages of the "
          "documentation, of which commtap help commands has further commands.",
      .examples = {kExample}};
  add(commtap, "Count", {runVerb(), doctorVerb(), demoVerb()});
  add(commtap, "Look", {showVerb(), listVerb(), adviseVerb(), htmlVerb(), exportVerb()});
  add(commtap, "Compare", {diffVerb(), checkVerb(), verifyVerb()});
  add(commtap, "Plan", {planVerb()});
  add(commtap, "A hang", {whyVerb(), topVerb()});
  add(commtap, "Operate", {serveVerb(), pruneVerb()});
  add(commtap, "Documentation", {helpVerb()});
  add(commtap, kSeldom, {envVerb(), buildTrackerVerb(), completionVerb()});
  add(commtap, "", {optionsVerb()});
  return commtap;
}

int runCommandLine(const std::vector<std::string>& arguments) {
  const Verb commtap = commtapProgram();
  if (arguments.empty()) {
    std::fputs(helpText(commtap, commtap).c_str(), stdout);
    return kExitUsage;
  }
  Parsed parsed = parse(commtap, arguments);
  if (!parsed.error.empty()) {
    say(parsed.error);
    return kExitUsage;
  }
  if (parsed.verb == nullptr) {
    std::fputs(parsed.text.c_str(), stdout);
    return kExitOk;
  }
  try {
    return parsed.verb->run({commtap, std::move(parsed.command)});
  } catch (const VerbEnd& end) {
    return end.exit_status;
  }
}

} // namespace commtap
