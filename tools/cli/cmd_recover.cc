// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/cmd_recover.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "report/runs/folder.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kAbout =
    "A process that was killed leaves its ledger; `commtap run`, the next process of the run to end, or the first\n"
    "command to look turns it into a report. This does so and nothing else, on the machine on which the process ran:\n"
    "only there it is known to be gone.";
constexpr const char* kExitStatus =
    "0 done, 1 some ledgers could not be turned into reports, 2 wrong usage or no such folder.";

int recover(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    say(folder + " is no folder: give the one that commtap wrote to");
    return kExitUsage;
  }
  std::vector<std::string> problems;
  std::string text;
  for (const std::string& path : recoverLedgers(folder, problems)) {
    text += inert(path) + "\n";
  }
  sayAll(problems);
  if (text.empty() && problems.empty()) {
    say("nothing to recover in " + folder);
  }
  const int written = printOut(text);
  return problems.empty() ? written : kExitFindings;
}

} // namespace

void addRecover(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("recover", "Turn what killed processes left into reports");
  describe(
      *verb,
      {.usage = "commtap recover FOLDER",
       .about = kAbout,
       .exit_status = kExitStatus,
       .examples = {"commtap recover out"}});
  auto folder = std::make_shared<std::string>();
  verb->add_option("FOLDER", *folder, "Where the job's reports are")->required()->type_name("");
  verb->callback([folder, &exit_status] { exit_status = recover(*folder); });
}

} // namespace commtap
