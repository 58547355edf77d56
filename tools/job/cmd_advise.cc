// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include "report/advice/advice.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/job/advice_text.h"

namespace commtap {
namespace {

constexpr const char* kAdviseAbout =
    "Rules over the rows of a run or a plan: each advice has the rows that prove it, and the calls and bytes per rank\n"
    "and step that are at stake. Says nothing that no row proves; no advice is an answer too.";
constexpr const char* kAdviseExitStatus =
    "0 read, with or without advice; 1 no report, or some files are unreadable; 2 wrong usage.";

struct AdviseArguments {
  std::string path;
  JobSelection selection;
  bool json = false;
};

int advise(const AdviseArguments& arguments) {
  const JobReport job = readJobInput(arguments.path, arguments.selection);
  const std::vector<Advice> advice = adviceFor(job);
  sayAll(job.copies);
  sayAll(job.problems);
  const int written =
      printOut(arguments.json ? adviceJson(advice, job) : adviceText(advice, job, Color::forStream(STDOUT_FILENO)));
  return job.problems.empty() ? written : kExitFindings;
}

} // namespace

Verb adviseVerb() {
  auto arguments = std::make_shared<AdviseArguments>();
  return {
      .name = "advise",
      .help = "Say where a run or a plan could communicate less",
      .usage = "commtap advise [OPTIONS] [PATH]",
      .about = kAdviseAbout,
      .exit_status = kAdviseExitStatus,
      .examples = {"commtap advise out", "commtap advise plan --json"},
      .options =
          OptionTable{
              readPath(
                  "PATH", arguments->path, "A folder of reports and ledgers, a plan, a report, or a merged report"),
              jsonOption(arguments->json, "commtap-advise-1")} +
          selectionOptions(arguments->selection),
      .run = [arguments](const Given& /*given*/) { return advise(*arguments); }};
}

} // namespace commtap
