// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "report/json/row_write.h"
#include "report/layouts/layout_columns.h"
#include "report/runs/ledger_recovery.h"
#include "report/verify/verification_columns.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/verify/finding_text.h"
#include "tools/verify/layout_text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
namespace {

constexpr const char* kVerifyAbout =
    "Compares the samples that the ranks of a job wrote with COMMTAP_VERIFY=1: which ranks hold replicas of a "
    "parameter,\n"
    "whether these are equal, and if not, from which step on, by how much and why; whether ranks read the same data,\n"
    "and what they put into the reductions of gradients. A shard that exists once has no replicas. With --like: "
    "whether\n"
    "the training is that of another run, in whatever layout. commtap help verify.";
constexpr const char* kVerifyExitStatus =
    "0 nothing wrong found, or nothing to compare; 1 an error, with --strict also a warning, and with --like also no\n"
    "comparison beyond the start; 2 no samples, unreadable samples, or wrong usage.";
constexpr int kExitNoSamples = 2;

struct VerifyArguments {
  std::string path;
  JobSelection selection;
  std::string format = "text";
  bool json = false;
  bool strict = false;
  std::vector<std::string> like; ///< the other run, and perhaps a second one of its layout
  std::vector<std::string> like_runs;
  std::vector<std::string> renames;
  bool same_data = false;
};

LayoutOptions layoutOptions(const VerifyArguments& arguments) {
  LayoutOptions options{.has_same_data = arguments.same_data};
  for (const std::string& rename : arguments.renames) {
    const size_t middle = rename.find('=');
    if (middle == std::string::npos || middle == 0) {
      endVerb("--rename " + rename + " is not OLD=NEW, the beginning of a name and what to take it for");
    }
    options.renames.emplace_back(rename.substr(0, middle), rename.substr(middle + 1));
  }
  return options;
}

template <typename Judged>
using TextOf = std::string(const Judged& result, const Color& color);
template <typename Judged>
using JunitOf = std::string(const Judged& result, bool is_strict);

/// Prints a result and returns the exit status. `is_failure` says which status is one, also with --strict.
template <typename Judged, typename IsFailure>
int answer(
    const Result<Judged>& result,
    const VerifyArguments& arguments,
    TextOf<Judged> text,
    JunitOf<Judged> junit,
    const IsFailure& is_failure) {
  endIf(result ? "" : result.error(), kExitNoSamples);
  sayRun(result->run_id, result->other_runs, arguments.selection);
  sayAll(result->problems);
  const std::string output = arguments.json                ? jsonDocument(*result)
                             : arguments.format == "junit" ? junit(*result, arguments.strict)
                                                           : text(*result, Color::forStream(STDOUT_FILENO));
  if (const int written = printOut(output); written != kExitOk) {
    return written;
  }
  return is_failure(result->status, arguments.strict) ? kExitFindings
         : result->unreadable > 0                     ? kExitNoSamples
                                                      : kExitOk;
}

int compareRuns(const VerifyArguments& arguments) {
  const LayoutOptions options = layoutOptions(arguments);
  if (arguments.like.size() > 2 || arguments.like_runs.size() > arguments.like.size()) {
    endVerb("--like can be given twice, for the other run and a second run of its layout, and --like-run for each");
  }
  std::vector<RunPlace> places = {{arguments.path, arguments.selection}};
  for (size_t i = 0; i < arguments.like.size(); ++i) {
    mustExist(arguments.like[i]);
    recoverOrphanedLedgers(arguments.like[i]);
    places.push_back({arguments.like[i], {}});
    places.back().selection.run_id =
        i < arguments.like_runs.size() ? std::optional(arguments.like_runs[i]) : std::nullopt;
  }
  const Result<LayoutComparison> result =
      withProgress([&](const Progress& progress) { return comparedRuns(places, options, progress); });
  return answer(result, arguments, layoutText, layoutJunit, [](LayoutStatus status, bool is_strict) {
    return status == LayoutStatus::kWrong || (is_strict && status != LayoutStatus::kOk);
  });
}

int verifyRun(const VerifyArguments& arguments) {
  mustExist(arguments.path);
  recoverOrphanedLedgers(arguments.path);
  if (!arguments.like.empty()) {
    return compareRuns(arguments);
  }
  const Result<Verification> result = withProgress(
      [&](const Progress& progress) { return verifiedRun(arguments.path, arguments.selection, progress); });
  return answer(result, arguments, verifyText, verifyJunit, [](VerifyStatus status, bool is_strict) {
    return status == VerifyStatus::kWrong || (is_strict && status == VerifyStatus::kSuspect);
  });
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
              "commtap verify eight --like one",
          },
      .options = OptionTable{readPath("PATH", arguments->path, "A folder of reports and samples")} +
                 selectionOptions(arguments->selection) +
                 OptionTable{
                     {.names = "--strict", .help = "Exit with 1 for a warning too", .to = &arguments->strict},
                     {.names = "--like",
                      .value = "PATH",
                      .help = "Compare with the training of another run, in another layout perhaps; given again, a "
                              "second run of that layout: what differs between these two is left out",
                      .to = &arguments->like},
                     {.names = "--like-run",
                      .value = "ID",
                      .help = "The run to read in the folder of --like, as --run for PATH",
                      .to = &arguments->like_runs,
                      .needs = "--like"},
                     {.names = "--same-data",
                      .help = "Both runs read the same samples: where each rank reads a part of each, the samples "
                              "cannot show it",
                      .to = &arguments->same_data,
                      .needs = "--like"},
                     {.names = "--rename",
                      .value = "OLD=NEW",
                      .help = "Take names of PATH that begin with OLD for those that begin with NEW",
                      .to = &arguments->renames,
                      .needs = "--like"},
                     jsonOption(arguments->json, "commtap-verify-1"),
                     formatOption(arguments->format, {"text", "junit"})},
      .run = [arguments](const Given& /*given*/) { return verifyRun(*arguments); }};
}

} // namespace commtap
