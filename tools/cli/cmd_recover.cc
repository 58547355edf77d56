// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>

#include <memory>

#include <fmt/format.h>

#include "report/runs/ledger_recovery.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verbs.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kRecoverAbout =
    "A killed process leaves its ledger. `commtap run`, the next exiting process of the run, or the first command\n"
    "that reads the folder converts it into a report. This command only converts. Run it on the machine of the\n"
    "process: other machines cannot know if the process has ended.";
constexpr const char* kRecoverExitStatus =
    "0 done; 1 some ledgers could not be converted; 2 wrong usage, or FOLDER does not exist.";

int recover(const std::string& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    say(folder + " is not a folder: give the folder that commtap wrote to");
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

Verb recoverVerb() {
  auto folder = std::make_shared<std::string>();
  return {
      .name = "recover",
      .help = "Convert the ledgers of killed processes into reports",
      .usage = "commtap recover FOLDER",
      .about = kRecoverAbout,
      .exit_status = kRecoverExitStatus,
      .examples = {"commtap recover out"},
      .options = {{.names = "FOLDER", .help = "The folder of the job's reports", .to = folder.get(), .required = true}},
      .run = [folder](const Given& /*given*/) { return recover(*folder); }};
}

} // namespace commtap
