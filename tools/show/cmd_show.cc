// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "report/merge/job_reader.h"
#include "report/merge/plan_merge.h"
#include "report/runs/ledger_recovery.h"
#include "report/runs/report_scan.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/hosts/host_arguments.h"
#include "tools/show/screen_text.h"
#include "tools/show/show_json.h"
#include "tools/show/show_text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
namespace {

constexpr const char* kShowAbout =
    "Without options, the mean per rank and training step on one screen. Any option of tables shows sums over ranks "
    "and\n"
    "the whole run instead. commtap help show describes the tables.";
constexpr const char* kShowExitStatus =
    "0 shown; 1 some files are unreadable, or no report was found; 2 wrong usage, or PATH, run, attempt or\n"
    "rank does not exist.";

struct ShowArguments {
  std::string path;
  HostArguments hosts;
  JobSelection selection;
  ShowFilter filter;
  std::string phase;
  std::string sort;
  std::string last;
  bool json = false;
};

/// Prints the view, and its problems to stderr. Returns the exit status.
int printView(const ShowArguments& arguments, const ShowView& view) {
  const Color color = Color::forStream(STDOUT_FILENO);
  const JobReport& job = view.job;
  const bool asks_for_ranks = view.filter.ranks;
  if (asks_for_ranks && !arguments.json && std::filesystem::is_directory(arguments.path)) {
    printOut(verifiedLine(job, arguments.path));
  }
  const int written = printOut(
      arguments.json       ? showJson(view)
      : view.showsTables() ? showText(view, color)
                           : screenText(view.job, arguments.path, color));
  sayAll(job.problems);
  const bool is_sound = job.problems.empty() && !(asks_for_ranks && !seriousDisagreements(job).empty());
  return is_sound ? written : kExitFindings;
}

/// Returns "", or one line about an option that asks for what a merged report does not hold; hosts send one.
std::string notInMerged(const ShowArguments& arguments) {
  const ShowFilter& filter = arguments.filter;
  const char* const option = arguments.selection.rank      ? "--rank"
                             : filter.operations           ? "--operations"
                             : filter.last > 0             ? "--last"
                             : filter.time && filter.phase ? "--time with --phase"
                                                           : nullptr;
  return option == nullptr ? ""
                           : arguments.path + " is a merged report, which does not hold what " + option +
                                 " shows: give the folder of the reports, or one of them";
}

int showMerged(const ShowArguments& arguments, const std::optional<HostsView>& hosts) {
  endIf(notInMerged(arguments));
  JobReport job = readJobFrom(hosts, arguments.path, arguments.selection);
  sayAll(job.copies);
  return printView(arguments, mergedView(arguments.filter, std::move(job)));
}

int showJob(const ShowArguments& arguments, const ReportScan& scan) {
  ShowDetails details(arguments.filter);
  const auto add = [&details](const Report& report, const std::string& /*path*/) { details.add(report); };
  JobReport job = orEnd(
      withProgress([&](const Progress& progress) {
        return mergeScan(arguments.path, scan, arguments.selection, progress, add);
      }),
      kExitFindings);
  addMissed(arguments.path, job);
  sayLaterFailure(arguments.path, arguments.selection, job.started_at_ns);
  ShowView view = details.finish(std::move(job));
  view.rank = arguments.selection.rank;
  view.is_one_process = view.rank.has_value() || !std::filesystem::is_directory(arguments.path);
  return printView(arguments, view);
}

/// Returns the reason why the selection has no report, and the ranks that there are if it asks for another one.
std::string nothingSelected(const ShowArguments& arguments, const ReportScan& scan, const std::string& error) {
  JobSelection all_ranks = arguments.selection;
  all_ranks.rank.reset();
  const Result<SelectedReports> others = selectReports(scan, all_ranks);
  if (!others) {
    return arguments.path + ": " + error;
  }
  std::vector<int64_t> ranks;
  for (const FoundReport& report : others->reports) {
    if (report.job.rank) {
      ranks.push_back(*report.job.rank);
    }
  }
  return fmt::format(
      "{} has no report of rank {}; it has {}",
      arguments.path,
      *arguments.selection.rank,
      ranks.empty() ? "no ranks" : rankText(rankRanges(std::move(ranks))));
}

/// Returns "", or one line about options that do not go together or that this format cannot follow.
std::string wrongUsage(const ShowArguments& arguments) {
  if (!arguments.last.empty() && arguments.filter.last == 0) {
    return "--last: \"" + arguments.last + "\" is not a number from 1";
  }
  if (arguments.filter.top == 0U) {
    return "--top: 0 modules show nothing: give a number from 1";
  }
  if (arguments.filter.total && (!arguments.filter.time || arguments.json)) {
    return "--total changes the table of --time, and nothing else";
  }
  if (arguments.json && arguments.filter.per_step) {
    return "--per-step does not change --json, whose means are per step";
  }
  return "";
}

/// Reads the options that are words into the filter.
void readWords(ShowArguments& arguments) {
  ShowFilter& filter = arguments.filter;
  filter.phase = arguments.phase.empty() ? std::nullopt : phaseFromName(arguments.phase);
  const char* const end = arguments.last.data() + arguments.last.size();
  if (std::from_chars(arguments.last.data(), end, filter.last).ptr != end) {
    filter.last = 0;
  }
  if (!arguments.sort.empty()) {
    const auto* const name = std::find(kSortNames.begin(), kSortNames.end(), arguments.sort);
    filter.sort = static_cast<SortBy>(name - kSortNames.begin());
  }
}

int show(ShowArguments arguments) {
  readWords(arguments);
  const std::string wrong = wrongUsage(arguments);
  endIf(wrong.empty() ? "" : wrong + " (see commtap show --help)");
  const std::optional<HostsView> hosts = orEnd(hostsFor(arguments.hosts, pathsIn(arguments.path)));
  if (hosts) {
    return showMerged(arguments, hosts);
  }
  mustExist(arguments.path);
  const bool is_plan = !planIn(arguments.path).empty() && notInMerged(arguments).empty();
  if (isJobReport(arguments.path) || is_plan) {
    return showMerged(arguments, std::nullopt);
  }
  recoverOrphanedLedgers(arguments.path);
  const ReportScan scan = orEnd(
      withProgress([&](const Progress& progress) { return scanReports(arguments.path, progress); }), kExitFindings);
  const Result<SelectedReports> selected = selectReports(scan, arguments.selection);
  endIf(selected ? "" : nothingSelected(arguments, scan, selected.error()));
  sayAll(scan.copies);
  return showJob(arguments, scan);
}

/// Returns the options that choose ranks and modules.
OptionTable choiceOptions(ShowArguments& arguments) {
  return {
      {.names = "--rank",
       .value = "N",
       .help = "Show only this rank; default: the sum over all ranks",
       .to = &arguments.selection.rank},
      {.names = "--phase",
       .help = "Show only this phase",
       .to = &arguments.phase,
       .words = {"forward", "backward", "recompute", "optimizer", "other"}},
      {.names = "--depth",
       .value = "N",
       .help = "Cut the module tree at this depth; the root module has depth 1",
       .to = &arguments.filter.depth},
      {.names = "--module",
       .value = "PATTERN",
       .help = "Show only modules that match; * matches within a name, ** any text",
       .to = &arguments.filter.module},
      {.names = "--sort",
       .help = "List modules by their own numbers, the largest first, not as a tree",
       .to = &arguments.sort,
       .words = {"bytes", "count", "calls"}},
      {.names = "--top",
       .value = "N",
       .help = "List only the N modules with the most bytes, or with the most of --sort",
       .to = &arguments.filter.top,
       .least = 1}};
}

/// Returns the options that show more than the default tables.
OptionTable detailOptions(ShowArguments& arguments) {
  ShowFilter& filter = arguments.filter;
  return {
      {.names = "--ranks",
       .help = "Show whether ranks agree, and how numbers are spread over them, not modules",
       .to = &filter.ranks},
      {.names = "--per-step", .help = "Also show each module's numbers per training step", .to = &filter.per_step},
      {.names = "--tree",
       .help = "Show the tree of modules, and sums over ranks and the whole run",
       .to = &filter.tree},
      {.names = "--all", .help = "Also show modules with no collective in or below them", .to = &filter.all},
      {.names = "--operations",
       .help = "Also show the ops that COMMTAP_LEVEL counted, by module",
       .to = &filter.operations},
      {.names = "--steps",
       .help = "Also show the training steps: duration, collectives and bytes",
       .to = &filter.steps},
      {.names = "--time",
       .help = "Also show how long collectives ran, where the job stood still for them, bandwidths and stragglers",
       .to = &filter.time},
      {.names = "--total", .help = "With --time: exposed time summed over ranks and steps", .to = &filter.total},
      {.names = "--last",
       .value = "N",
       .help = "Also show the last N collectives of each process, ten without N: where a job hangs",
       .to = &arguments.last,
       .alone = "10"},
      {.names = "--nccl",
       .help = "Also show NCCL calls, compared with the collectives of c10d: commtap help nccl",
       .to = &filter.nccl},
      jsonOption(arguments.json, "commtap-show-1")};
}

} // namespace

Verb showVerb() {
  auto arguments = std::make_shared<ShowArguments>();
  return {
      .name = "show",
      .help = "Show on one screen what a run communicates; its tables",
      .usage = "commtap show [OPTIONS] [PATH]",
      .about = kShowAbout,
      .exit_status = kShowExitStatus,
      .examples =
          {
              "commtap show out",
              "commtap show --tree out",
              "commtap show --ranks out",
              "commtap show --ranks node1:9464,node2:9464 --token-file token",
              "commtap show out --rank 3 --phase backward",
              "commtap show out --top 10 --sort count",
              "commtap show out --last 1",
          },
      .options = OptionTable{hostsPath(arguments->path)} + hostOptions(arguments->hosts) +
                 selectionOptions(arguments->selection) + choiceOptions(*arguments) + detailOptions(*arguments),
      .run = [arguments](const Given& /*given*/) {
        arguments->path = orDefaultFolder(arguments->hosts, arguments->path);
        return show(*arguments);
      }};
}

} // namespace commtap
