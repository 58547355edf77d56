// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/process.h"
#include "report/base/timestamp.h"
#include "report/json/row_write.h"
#include "report/runs/ledger_recovery.h"
#include "report/runs/report_scan.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/prune/prune_columns.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kPruneAbout =
    "Removes whole runs, the oldest first: those whose reports have not changed within --keep, then as many more as\n"
    "bring all reports together below --max-size. Only reports of ranks, whatever their names, and samples are\n"
    "removed, each after it was read to its end, and folders that this leaves empty. A run with a ledger stays, since\n"
    "its job may be running, and so does one that changed within the hour. Merged reports and pages stay: keep a\n"
    "baseline as one. So does what is not a whole report, such as one with notes of yours in it, without the other\n"
    "reports of its run. If a ledger cannot be read, all runs of its owner stay: it may be of any of them.";
constexpr const char* kPruneExitStatus =
    "0 done; 1 a report or ledger could not be read or removed, or --max-size was not reached; 2 wrong usage, or "
    "FOLDER\n"
    "is not a folder.";

struct PruneArguments {
  std::string folder;
  std::string keep;
  std::optional<uint64_t> max_bytes;
  bool is_dry_run = false;
  bool json = false;
};

std::string textOf(const PruneReport& report) {
  std::string text;
  for (const PrunedRun& run : report.removed) {
    text += fmt::format(
        "{} {}  {}{}  {}  {}\n",
        report.dry_run ? "would remove" : "removed",
        inert(run.run_id),
        run.kept_files == 0 ? "" : fmt::format("{} of ", run.files),
        counted(run.files + run.kept_files, "file"),
        humanBytes(run.bytes),
        formatTimestamp(run.changed_at_ns));
  }
  return text;
}

/// Carries the plan out, or judges what it would remove. Adds to its numbers what stays all the same.
void carryOut(const PruneArguments& arguments, const Progress& progress, PruneReport& report) {
  PrunePlan& plan = report.plan;
  size_t done = 0;
  for (const StoredRun& run : plan.removed) {
    progress(done++, plan.removed.size());
    const Removal removal = removeRun(run, arguments.folder, report.dry_run);
    report.problems.insert(report.problems.end(), removal.problems.begin(), removal.problems.end());
    if (removal.files > 0) {
      report.removed.push_back({run.run_id, run.changed_at_ns, removal.files, removal.bytes, removal.kept_files});
    }
    plan.kept_bytes += removal.kept_bytes;
    plan.kept_runs += removal.kept_files == 0 ? 0 : 1;
  }
}

/// Says it, and adds to the report's problems the files whose run is not known.
void sayWhatStays(const std::vector<UnjudgedFile>& unjudged, PruneReport& report) {
  const PrunePlan& plan = report.plan;
  if (!plan.with_ledgers.empty()) {
    say(fmt::format(
        "runs with ledgers stay: {}: if their jobs have ended, run commtap list on their hosts",
        fmt::join(plan.with_ledgers, ", ")));
  }
  if (!plan.just_changed.empty()) {
    say(fmt::format("runs that changed within the hour stay: {}", fmt::join(plan.just_changed, ", ")));
  }
  for (const UnjudgedFile& file : unjudged) {
    report.problems.push_back(fmt::format(
        "{} stays: it {}{}",
        file.path,
        file.is_empty ? "is empty" : "cannot be read",
        file.may_be_ledger ? ", so its run is not known" : ""));
    say(report.problems.back());
  }
  if (!plan.undecided.empty()) {
    say(fmt::format(
        "runs to which a ledger that cannot be read may belong stay: {}: read it as its owner and with its version of "
        "commtap, or remove it if its process has ended",
        fmt::join(plan.undecided, ", ")));
  }
  const std::string size = humanBytes(plan.kept_bytes);
  say(counted(plan.kept_runs, "run is left, ", "runs are left, ") + size);
}

/// Reads what to keep. Ends the verb if the arguments do not say it.
Retention readRetention(const PruneArguments& arguments) {
  const Retention retention{.keep_ns = parseDurationNs(arguments.keep), .max_bytes = arguments.max_bytes};
  if (!arguments.keep.empty() && !retention.keep_ns) {
    endVerb("--keep " + arguments.keep + " is no duration: write 12h or 30d");
  }
  if (!retention.keep_ns && !retention.max_bytes) {
    endVerb("say what to keep: --keep 30d, --max-size 50G, or both");
  }
  if (struct stat facts{}; stat(arguments.folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
    endVerb(arguments.folder + " is not a folder: give the folder with the reports of many runs");
  }
  return retention;
}

int prune(const PruneArguments& arguments) {
  const Retention retention = readRetention(arguments);
  recoverOrphanedLedgers(arguments.folder);
  ReportScan scan = orEnd(
      withProgress([&](const auto& progress) { return scanReports(arguments.folder, progress, Copies::kKeep); }),
      kExitFindings);
  std::vector<UnjudgedFile> unjudged = findUnjudged(arguments.folder, scan);
  std::vector<StoredFile> files = storedFiles(scan);
  for (StoredFile& samples : storedSamples(arguments.folder, scan.problems, ", and stays")) {
    files.push_back(std::move(samples));
  }
  std::vector<StoredRun> runs = storedRuns(std::move(files));
  markUndecided(unjudged, runs);
  PruneReport report{
      .dry_run = arguments.is_dry_run,
      .plan = planPrune(std::move(runs), retention, wallClockNs()),
      .problems = scan.problems};
  withProgress(
      [&](const auto& progress) { carryOut(arguments, progress, report); },
      arguments.is_dry_run ? "judging" : "removing");
  const bool is_all_judged = unjudged.empty() && report.problems.size() == scan.problems.size();
  sayAll(report.problems);
  sayWhatStays(unjudged, report);
  const bool is_too_much = retention.max_bytes && report.plan.kept_bytes > *retention.max_bytes;
  if (is_too_much) {
    say(fmt::format("--max-size {} is not reached", humanBytes(*retention.max_bytes)));
  }
  const int printed = printOut(arguments.json ? jsonDocument(report) : textOf(report));
  return is_all_judged && !is_too_much ? printed : kExitFindings;
}

} // namespace

Verb pruneVerb() {
  auto arguments = std::make_shared<PruneArguments>();
  return {
      .name = "prune",
      .help = "Remove the reports of old runs",
      .usage = "commtap prune [OPTIONS] FOLDER",
      .about = kPruneAbout,
      .exit_status = kPruneExitStatus,
      .examples = {"commtap prune --keep 30d --max-size 50G /shared/commtap", "commtap prune --keep 30d --dry-run out"},
      .options =
          {{.names = "FOLDER",
            .help = "A folder with the reports of many runs",
            .to = &arguments->folder,
            .required = true},
           {.names = "--keep",
            .value = "TIME",
            .help = "Remove runs that have not changed for so long: 90s, 30m, 24h, 7d",
            .to = &arguments->keep},
           {.names = "--max-size",
            .value = "SIZE",
            .help = "Remove the oldest runs until the rest is this small: 500MiB, 50G",
            .to = &arguments->max_bytes,
            .unit = Unit::kBytes},
           {.names = "--dry-run", .help = "Only print what would be removed", .to = &arguments->is_dry_run},
           jsonOption(arguments->json, "commtap-prune-1")},
      .run = [arguments](const Given& /*given*/) { return prune(*arguments); }};
}

} // namespace commtap
