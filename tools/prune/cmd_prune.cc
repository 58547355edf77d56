// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/cmd_prune.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/duration.h"
#include "report/base/process.h"
#include "report/base/timestamp.h"
#include "report/runs/ledger_recovery.h"
#include "report/runs/report_scan.h"
#include "tools/cli/progress.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/prune/prune_plan.h"
#include "tools/prune/removal.h"
#include "tools/prune/stored_run.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kPruneAbout =
    "Removes whole runs, the oldest first: those whose reports have not changed within --keep, then as many more as\n"
    "bring all reports together below --max-size. Only reports of ranks are removed, and folders that this leaves\n"
    "empty. A run with a ledger stays, since its job may be running, and so does one that changed within the hour.\n"
    "Merged reports and pages stay.";
constexpr const char* kPruneExitStatus =
    "0 done; 1 a file could not be removed, or --max-size was not reached; 2 wrong usage, or FOLDER does not exist.";

struct PruneArguments {
  std::string folder;
  std::string keep;
  uint64_t max_bytes = 0;
  bool has_max_bytes = false;
  bool is_dry_run = false;
};

std::string lineOf(const StoredRun& run, bool is_dry_run) {
  return fmt::format(
      "{} {}  {} files  {}  {}\n",
      is_dry_run ? "would remove" : "removed",
      inert(run.run_id),
      run.files.size(),
      humanBytes(static_cast<double>(run.bytes)),
      formatTimestamp(run.changed_at_ns));
}

/// Carries the plan out, or prints what it would do. Returns what failed.
std::vector<std::string> carryOut(const PrunePlan& plan, const PruneArguments& arguments, std::string& text) {
  std::vector<std::string> problems;
  for (const StoredRun& run : plan.removed) {
    if (!arguments.is_dry_run) {
      const std::vector<std::string> failed = removeRun(run, arguments.folder);
      problems.insert(problems.end(), failed.begin(), failed.end());
    }
    text += lineOf(run, arguments.is_dry_run);
  }
  return problems;
}

void sayWhatStays(const PrunePlan& plan) {
  if (!plan.with_ledgers.empty()) {
    say(fmt::format(
        "runs with ledgers stay: {}: if their jobs have ended, run commtap recover on their hosts",
        fmt::join(plan.with_ledgers, ", ")));
  }
  say(fmt::format("{} runs are left, {}", plan.kept_runs, humanBytes(static_cast<double>(plan.kept_bytes))));
}

int prune(const PruneArguments& arguments) {
  Retention retention;
  retention.keep_ns = parseDurationNs(arguments.keep);
  if (!arguments.keep.empty() && !retention.keep_ns) {
    say("--keep " + arguments.keep + " is no duration: write 12h or 30d");
    return kExitUsage;
  }
  if (arguments.has_max_bytes) {
    retention.max_bytes = arguments.max_bytes;
  }
  if (!retention.keep_ns && !retention.max_bytes) {
    say("say what to keep: --keep 30d, --max-size 50G, or both");
    return kExitUsage;
  }
  if (!isThere(arguments.folder)) {
    return kExitUsage;
  }
  recoverOrphanedLedgers(arguments.folder);
  const Result<ReportScan> scan =
      withProgress([&](const auto& progress) { return scanReports(arguments.folder, progress, Copies::kKeep); });
  if (!scan) {
    say(scan.error());
    return kExitFindings;
  }
  const PrunePlan plan = planPrune(storedRuns(storedFiles(*scan)), retention, wallClockNs());
  std::string text;
  const std::vector<std::string> problems = carryOut(plan, arguments, text);
  const int printed = printOut(text);
  sayAll(scan->problems);
  sayAll(problems);
  sayWhatStays(plan);
  const bool is_too_much = retention.max_bytes && plan.kept_bytes > *retention.max_bytes;
  return problems.empty() && !is_too_much ? printed : kExitFindings;
}

} // namespace

void addPrune(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("prune", "Remove the reports of old runs");
  describe(
      *verb,
      {.usage = "commtap prune [OPTIONS] FOLDER",
       .about = kPruneAbout,
       .exit_status = kPruneExitStatus,
       .examples = {
           "commtap prune --keep 30d --max-size 50G /shared/commtap", "commtap prune --keep 30d --dry-run out"}});
  auto arguments = std::make_shared<PruneArguments>();
  addPath(*verb, "FOLDER", arguments->folder, "A folder with the reports of many runs");
  verb->add_option("--keep", arguments->keep, "Remove runs that have not changed for so long: 90s, 30m, 24h, 7d")
      ->type_name("TIME");
  verb->add_option_function<uint64_t>(
          "--max-size",
          [arguments](uint64_t bytes) {
            arguments->max_bytes = bytes;
            arguments->has_max_bytes = true;
          },
          "Remove the oldest runs until the rest is this small: 500MiB, 50G")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false).description(""));
  verb->add_flag("--dry-run", arguments->is_dry_run, "Only print what would be removed");
  verb->callback([arguments, &exit_status] { exit_status = prune(*arguments); });
}

} // namespace commtap
