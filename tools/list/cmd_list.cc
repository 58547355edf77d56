// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "report/base/process.h"
#include "report/base/timestamp.h"
#include "report/json/row_write.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/list/list_columns.h"
#include "tools/list/list_text.h"
#include "tools/list/listed_run.h"

namespace commtap {
namespace {

constexpr const char* kListAbout =
    "Prints one line per run: when it started, how long it took, its ranks, how its last attempt ended, what it\n"
    "communicated, its size on the disk and its command.";
constexpr const char* kListExitStatus =
    "0 done; 1 a report could not be read; 2 wrong usage, or FOLDER does not exist.";

struct ListArguments {
  std::string folder;
  std::string since;
  bool failed = false;
  bool all = false;
  bool json = false;
};

int list(const ListArguments& arguments) {
  mustExist(arguments.folder);
  const std::optional<uint64_t> within_ns = parseDurationNs(arguments.since);
  if (!arguments.since.empty() && !within_ns) {
    endVerb("--since " + arguments.since + " is no duration: write 90m, 24h or 7d");
  }
  recoverOrphanedLedgers(arguments.folder);
  const uint64_t now_ns = wallClockNs();
  const RunFilter filter{
      .most = arguments.all ? 0 : kMostRuns,
      .since_ns = within_ns ? now_ns - std::min(now_ns, *within_ns) : 0,
      .failed = arguments.failed};
  const RunList found = orEnd(
      withProgress([&](const Progress& progress) { return listRuns(arguments.folder, filter, progress); }),
      kExitFindings);
  sayAll(found.problems);
  if (found.runs.empty()) {
    say("no run in " + arguments.folder + (arguments.failed ? " failed or was killed" : " is listed") +
        (within_ns ? ", of those of the last " + arguments.since : ""));
  }
  const int printed = printOut(
      arguments.json ? jsonDocument(found)
                     : listText(found, arguments.folder, Color::forStream(STDOUT_FILENO), isatty(STDOUT_FILENO) == 1));
  return found.problems.empty() ? printed : kExitFindings;
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
      .examples = {"commtap list out", "commtap list --failed --since 24h --json --all /shared/commtap"},
      .options =
          {readPath("FOLDER", arguments->folder, "A folder with the reports of runs"),
           {.names = "--failed", .help = "Only runs that failed or were killed", .to = &arguments->failed},
           {.names = "--since",
            .value = "TIME",
            .help = "Only runs that started within this time: 90m, 24h, 7d",
            .to = &arguments->since},
           {.names = "--all", .help = "List all runs; default: the newest 20", .to = &arguments->all},
           jsonOption(arguments->json, "commtap-list-1")},
      .run = [arguments](const Given& /*given*/) { return list(*arguments); }};
}

} // namespace commtap
