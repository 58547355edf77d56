// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/cmd_show.h"

#include <unistd.h>

#include <fmt/format.h>

#include "report/runs/folder.h"
#include "tools/cli/progress.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/show/show_csv.h"
#include "tools/show/show_json.h"
#include "tools/show/show_text.h"

namespace commtap {
namespace {

constexpr const char* kAbout = "csv and json are described in docs/show.md.";
constexpr const char* kExitStatus =
    "0 shown, 1 shown without some files that could not be read, or no report found, 2 wrong usage, no\n"
    "such PATH or rank.";

struct ShowArguments {
  std::string path;
  ShowFilter filter;
  std::string phase;
  std::string format = "table";
};

std::string render(const ShowView& view, const ReportFolder& folder, const std::string& format) {
  if (format == "csv") {
    return showCsv(view);
  }
  return format == "json" ? showJson(view, folder) : showText(view, folder, Color::forStream(STDOUT_FILENO));
}

/// What to say when the filter leaves nothing.
std::string nothingLeft(const ReportFolder& folder, const ShowArguments& arguments) {
  std::vector<int64_t> ranks;
  for (const ReportFile* file : selectFiles(folder, arguments.filter.attempt, std::nullopt)) {
    if (file->report.job.rank) {
      ranks.push_back(*file->report.job.rank);
    }
  }
  if (ranks.empty()) {
    return fmt::format(
        "{} has no such report; its attempts are {} to {}",
        arguments.path,
        folder.files.front().report.job.attempt,
        folder.files.back().report.job.attempt);
  }
  return fmt::format("{} has no report of that rank; it has {}", arguments.path, rankText(rankRanges(ranks)));
}

int show(ShowArguments arguments) {
  if (!arguments.phase.empty()) {
    arguments.filter.phase = phaseFromName(arguments.phase);
  }
  if (!isThere(arguments.path)) {
    return kExitUsage;
  }
  const Result<ReportFolder> folder =
      withProgress([&](const Progress& progress) { return readReports(arguments.path, progress); });
  if (!folder) {
    say(folder.error());
    return kExitFindings;
  }
  const ShowView view = viewOf(*folder, arguments.filter);
  if (view.files.empty()) {
    say(nothingLeft(*folder, arguments));
    return kExitUsage;
  }
  const int written = printOut(render(view, *folder, arguments.format));
  sayAll(folder->problems);
  return folder->problems.empty() ? written : kExitFindings;
}

} // namespace

void addShow(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("show", "Show the collectives of a run by module, kind and group");
  describe(
      *verb,
      {.usage = "commtap show [OPTIONS] PATH",
       .about = kAbout,
       .exit_status = kExitStatus,
       .examples = {
           "commtap show out",
           "commtap show out --rank 3 --phase backward",
           "commtap show out --format csv > collectives.csv",
       }});
  auto arguments = std::make_shared<ShowArguments>();
  verb->add_option("PATH", arguments->path, "A report, a ledger, or a folder of them")->required()->type_name("");
  verb->add_option("--rank", arguments->filter.rank, "One rank alone; else the sum over all ranks")->type_name("N");
  verb->add_option("--attempt", arguments->filter.attempt, "After restarts by torchrun: which attempt; else the last")
      ->type_name("N");
  verb->add_option("--phase", arguments->phase, "One phase alone")
      ->type_name("forward|backward|recompute|optimizer|other")
      ->check(oneOf({"forward", "backward", "recompute", "optimizer", "other"}));
  verb->add_option("--depth", arguments->filter.depth, "The module tree down to this depth; the root module has 1")
      ->type_name("N");
  verb->add_flag("--all", arguments->filter.all, "Also modules with no collective in or below them");
  verb->add_flag("--operations", arguments->filter.operations, "Also the ops that COMMTAP_LEVEL counted, by module");
  verb->add_flag(
      "--steps", arguments->filter.steps, "Also the training steps: how long, how many collectives and bytes");
  verb->add_flag(
      "--time", arguments->filter.time, "Also how long collectives ran and blocked, bandwidths, who is late");
  verb->add_flag("--last", arguments->filter.last, "Also the last collectives of each rank: the one a job hangs in");
  verb->add_flag("--nccl", arguments->filter.nccl, "Also calls to NCCL, beside what c10d was asked for: docs/nccl.md");
  verb->add_option("--format", arguments->format, "Default: table")
      ->type_name("table|csv|json")
      ->check(oneOf({"table", "csv", "json"}));
  verb->callback([arguments, &exit_status] { exit_status = show(*arguments); });
}

} // namespace commtap
