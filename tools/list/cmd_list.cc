// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <memory>
#include <string>

#include "report/runs/ledger_recovery.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verbs.h"
#include "tools/list/list_text.h"
#include "tools/list/listed_run.h"

namespace commtap {
namespace {

constexpr const char* kListAbout =
    "Prints one line per run: when it started, how long it took, its ranks, how its last attempt ended, what it\n"
    "communicated, its size on the disk and its command.";
constexpr const char* kListExitStatus =
    "0 done; 1 a report could not be read; 2 wrong usage, or FOLDER does not exist.";
constexpr size_t kMostRuns = 20;

struct ListArguments {
  std::string folder;
  bool all = false;
  bool json = false;
};

int list(const ListArguments& arguments) {
  if (!isThere(arguments.folder)) {
    return kExitUsage;
  }
  recoverOrphanedLedgers(arguments.folder);
  const size_t most = arguments.all ? 0 : kMostRuns;
  const Result<RunList> found =
      withProgress([&](const Progress& progress) { return listRuns(arguments.folder, most, progress); });
  if (!found) {
    say(found.error());
    return kExitFindings;
  }
  sayAll(found->problems);
  const int printed =
      printOut(arguments.json ? listJson(*found) : listText(*found, arguments.folder, Color::forStream(STDOUT_FILENO)));
  return found->problems.empty() ? printed : kExitFindings;
}

} // namespace

Verb listVerb() {
  auto arguments = std::make_shared<ListArguments>();
  return {
      .name = "list",
      .help = "List the runs in a folder, the newest first",
      .usage = "commtap list [OPTIONS] [FOLDER]",
      .about = kListAbout,
      .exit_status = kListExitStatus,
      .examples = {"commtap list out", "commtap list --json --all /shared/commtap"},
      .options =
          {readPath("FOLDER", arguments->folder, "A folder with the reports of runs"),
           {.names = "--all", .help = "List all runs; default: the newest 20", .to = &arguments->all},
           {.names = "--json", .help = "Print JSON: commtap help commtap-list-1.schema.json", .to = &arguments->json}},
      .run = [arguments](const Given& /*given*/) { return list(*arguments); }};
}

} // namespace commtap
