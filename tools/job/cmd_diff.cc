// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "report/base/timestamp.h"
#include "report/merge/job_reader.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/job/diff_text.h"

namespace commtap {
namespace {

constexpr const char* kDiffAbout =
    "Numbers are means per rank and training step, over the ranks that have the row, so runs of other\n"
    "lengths are comparable; set-up is per rank and run. Which ranks have a row is compared too. The\n"
    "first line says how much more is communicated, and where most of it is. Given\n"
    "one folder with several runs, compares the newest run with the previous one. With --since, compares it with\n"
    "the newest run that started at least that long before; with --run, compares the named ones. commtap help check "
    "describes the formats.";
constexpr const char* kDiffExitStatus =
    "0 no differences beyond the tolerances; 1 differences, unreadable files, or no report; 2 wrong usage, a\n"
    "path that does not exist, or no two runs to compare.";

struct DiffArguments {
  std::vector<std::string> paths;
  std::vector<std::string> runs;
  std::string since;
  std::string format = "text";
  bool json = false;
  std::vector<std::string> tolerances;
  std::vector<std::string> renames;
  bool total = false;
};

/// The two jobs to compare.
struct Pair {
  JobReport before;
  JobReport after;
};

JobSelection selectionOf(const std::vector<std::string>& runs, size_t i) {
  return i < runs.size() ? JobSelection{.run_id = runs[i]} : JobSelection();
}

/// Reads a job at each path: of the folder with several runs, the one of `runs` at the same place, else the newest.
Pair readTwo(const std::string& before, const std::string& after, const std::vector<std::string>& runs) {
  Pair pair{readJobInput(before, selectionOf(runs, 0)), readJobInput(after, selectionOf(runs, 1))};
  if (pair.before.planned && !pair.after.planned) {
    pair.before = planFor(before, pair.before, pair.after);
  }
  return pair;
}

/// Returns the newest run that started at least `since_ns` before the newest of `runs`; nullopt if there is none.
std::optional<std::string> runBefore(const std::vector<FoundRun>& runs, uint64_t since_ns) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[0].started_at_ns - runs[i].started_at_ns >= since_ns) {
      return runs[i].run_id;
    }
  }
  return std::nullopt;
}

JobReport mergeRun(const std::string& path, const ReportScan& scan, const std::string& run_id) {
  return orEnd(
      withProgress([&](const Progress& progress) { return mergeScan(path, scan, {.run_id = run_id}, progress); }),
      kExitFindings);
}

Pair readRuns(const std::string& path, uint64_t since_ns) {
  mustExist(path);
  endIf(isJobReport(path) ? path + " is a merged report, which holds one run: give two paths" : "");
  recoverOrphanedLedgers(path);
  const ReportScan scan =
      orEnd(withProgress([&](const Progress& progress) { return scanReports(path, progress); }), kExitFindings);
  const std::vector<FoundRun> runs = runsOf(scan);
  const std::optional<std::string> run_before = runBefore(runs, since_ns);
  if (!run_before) {
    const char* which =
        since_ns ? "run that began so long before the newest one" : "earlier run to compare the newest one with";
    endVerb(fmt::format("{} has no {}: give two paths", path, which));
  }
  return {mergeRun(path, scan, *run_before), mergeRun(path, scan, runs[0].run_id)};
}

std::string render(const JobDiff& diff, const DiffArguments& arguments) {
  if (arguments.json) {
    return diffJson(diff);
  }
  return arguments.format == "markdown" ? diffMarkdown(diff) : diffText(diff, Color::forStream(STDOUT_FILENO));
}

/// Returns "", or what is wrong with the options that choose the two runs.
std::string wrongChoice(const DiffArguments& arguments) {
  if (arguments.paths.size() == 2 && !arguments.since.empty()) {
    return "--since chooses a run of one folder, and two paths are given: leave out --since or a path";
  }
  if (arguments.runs.size() > 2) {
    return fmt::format("--run is given {} times, and two runs are compared", arguments.runs.size());
  }
  return "";
}

int diff(const DiffArguments& arguments) {
  const std::optional<uint64_t> since = parseDurationNs(arguments.since.empty() ? "0s" : arguments.since);
  std::vector<Tolerance> rules;
  std::vector<ModuleRename> renames;
  for (const std::string& wrong :
       {wrongChoice(arguments),
        since ? "" : "--since: \"" + arguments.since + "\" is not a duration such as 90s, 30m, 24h or 7d",
        readTolerances(arguments.tolerances, rules),
        readRenames(arguments.renames, renames)}) {
    endIf(wrong.empty() ? "" : wrong + " (see commtap diff --help)");
  }
  Pair pair = arguments.paths.size() == 1 && arguments.runs.empty()
                  ? readRuns(arguments.paths[0], *since)
                  : readTwo(arguments.paths.front(), arguments.paths.back(), arguments.runs);
  renameModules(renames, pair.before);
  renameModules(renames, pair.after);
  sayAll(pair.before.copies);
  if (arguments.paths.size() == 2) { // else both runs are of one folder
    sayAll(pair.after.copies);
  }
  sayAll(pair.before.problems);
  sayAll(pair.after.problems);
  const ComparedSteps steps = arguments.total ? ComparedSteps() : comparedSteps(pair.before, pair.after);
  const JobDiff difference = diffOf(pair.before, pair.after, rules, steps);
  const int written = printOut(render(difference, arguments));
  const bool sound = pair.before.problems.empty() && pair.after.problems.empty();
  return sound && isSame(difference) ? written : kExitFindings;
}

OptionTable diffOptions(DiffArguments& arguments) {
  return {
      {.names = "PATH",
       .help = "Two folders, reports or merged reports; or one folder with several runs",
       .to = &arguments.paths,
       .required = true,
       .at_most = 2},
      {.names = "--since",
       .value = "TIME",
       .help = "In one folder: compare with a run that started at least this long before",
       .to = &arguments.since},
      {.names = "--run",
       .value = "ID",
       .help = "A run of a folder with several, by its id, a part of it, or its name; the first is BEFORE, the second "
               "is AFTER; default of AFTER: the newest",
       .to = &arguments.runs,
       .excludes = {"--since"}},
      {.names = "--total",
       .help = "Compare what each rank communicated in the whole run, set-up included",
       .to = &arguments.total},
      toleranceOption(arguments.tolerances),
      renameOption(arguments.renames),
      formatOption(arguments.format, {"text", "markdown"}),
      jsonOption(arguments.json, "commtap-diff-1", {"--format"})};
}

} // namespace

Verb diffVerb() {
  auto arguments = std::make_shared<DiffArguments>();
  return {
      .name = "diff",
      .help = "Compare the communication of two runs",
      .usage = "commtap diff [OPTIONS] BEFORE AFTER | FOLDER",
      .about = kDiffAbout,
      .exit_status = kDiffExitStatus,
      .examples =
          {
              "commtap diff yesterday today",
              "commtap diff reports --since 24h",
              "commtap diff reports --run baseline --run wide",
              "commtap diff full lora --rename PeftModel.base_model.model=Llama --rename base_layer=",
              "commtap diff main.json out --tolerance bytes=5% --tolerance module=**.moe.*,bytes=9% --format markdown",
          },
      .options = diffOptions(*arguments),
      .run = [arguments](const Given& /*given*/) { return diff(*arguments); }};
}

} // namespace commtap
