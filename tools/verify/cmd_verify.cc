// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <memory>

#include "report/runs/ledger_recovery.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/verify/finding_text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
namespace {

constexpr const char* kVerifyAbout =
    "Compares the samples that the ranks of a job wrote with COMMTAP_VERIFY=1: which ranks hold replicas of a "
    "parameter,\n"
    "whether these are equal, and if not, from which step on, by how much and why; whether ranks read the same data,\n"
    "and what they put into the reductions of gradients. A shard that exists once has no replicas. commtap help "
    "verify.";
constexpr const char* kVerifyExitStatus =
    "0 nothing wrong found, or nothing to compare; 1 an error, with --strict also a warning; 2 no samples, unreadable\n"
    "samples, or wrong usage.";
constexpr int kExitNoSamples = 2;

struct VerifyArguments {
  std::string path;
  JobSelection selection;
  std::string format = "text";
  bool json = false;
  bool strict = false;
};

std::string render(const Verification& result, const VerifyArguments& arguments) {
  if (arguments.json || arguments.format == "json") {
    return verifyJson(result);
  }
  return arguments.format == "junit" ? verifyJunit(result, arguments.strict)
                                     : verifyText(result, Color::forStream(STDOUT_FILENO));
}

int verifyRun(const VerifyArguments& arguments) {
  if (!isThere(arguments.path)) {
    return kExitUsage;
  }
  recoverOrphanedLedgers(arguments.path);
  const Result<Verification> result = withProgress(
      [&](const Progress& progress) { return verifiedRun(arguments.path, arguments.selection, progress); });
  if (!result) {
    say(result.error());
    return kExitNoSamples;
  }
  sayAll(result->problems);
  if (const int written = printOut(render(*result, arguments)); written != kExitOk) {
    return written;
  }
  const bool fails =
      result->status == VerifyStatus::kWrong || (arguments.strict && result->status == VerifyStatus::kSuspect);
  return fails ? kExitFindings : result->unreadable > 0 ? kExitNoSamples : kExitOk;
}

} // namespace

Verb verifyVerb() {
  auto arguments = std::make_shared<VerifyArguments>();
  return {
      .name = "verify",
      .help = "Say whether the replicas of a training are alike on all ranks",
      .usage = "commtap verify [OPTIONS] [PATH]",
      .about = kVerifyAbout,
      .exit_status = kVerifyExitStatus,
      .examples =
          {
              "COMMTAP_VERIFY=1 commtap run --out out -- torchrun --nproc-per-node 2 train.py\ncommtap verify out",
              "commtap verify out --strict --format junit > commtap.xml",
          },
      .options = OptionTable{readPath("PATH", arguments->path, "A folder of reports and samples")} +
                 selectionOptions(arguments->selection) +
                 OptionTable{
                     {.names = "--strict", .help = "Exit with 1 for a warning too", .to = &arguments->strict},
                     jsonOption(arguments->json, "commtap-verify-1"),
                     formatOption(arguments->format, {"text", "junit", "json"})},
      .run = [arguments](const Given& /*given*/) { return verifyRun(*arguments); }};
}

} // namespace commtap
