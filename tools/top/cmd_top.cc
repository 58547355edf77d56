// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/cmd_top.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/live/end_signals.h"
#include "tools/top/screen.h"
#include "tools/top/top_text.h"

namespace commtap {
namespace {

constexpr const char* kTopAbout =
    "Reads the ledgers of the jobs on this machine, even of hanging or stopped jobs; the jobs are not affected.\n"
    "The line of `commtap why` comes first if the job hangs. Groups that wait come next, the one that waits longest\n"
    "before the others: their ranks differ in collectives issued, or all issued the same one and none completed it.\n"
    "Each rank has its module and its process's state.\n"
    "A terminal is refreshed until q is typed. With other outputs, or --once, prints once after one interval.";
constexpr const char* kTopExitStatus =
    "0 shown; 1 no job is running here, or, with --once, some files are unreadable; 2 wrong usage, or FOLDER\n"
    "does not exist.";

constexpr size_t kDefaultRows = 8;

struct TopArguments {
  std::string path;
  double interval_seconds = 1;
  size_t rows = kDefaultRows;
  bool once = false;
};

TopFrame look(LiveFolder& folder) {
  const uint64_t now_ns = wallClockNs();
  LiveReports live = folder.read(LiveFolder::Clock::now());
  JobLook processes = lookOf(live.reports, now_ns);
  return {std::move(live), now_ns, std::move(processes)};
}

int top(const TopArguments& arguments) {
  if (!isThere(arguments.path)) {
    return kExitUsage;
  }
  const Color color = Color::forStream(STDOUT_FILENO);
  const bool once = arguments.once || isatty(STDOUT_FILENO) == 0;
  const sigset_t signals = blockEndSignals();
  LiveFolder folder(arguments.path, hostName(), std::chrono::seconds(0));
  TopFrame before = look(folder);
  if (before.live.reports.empty()) {
    say(fmt::format(
        "no running job on this machine writes to {}: commtap show --last shows ended jobs", arguments.path));
    sayAll(before.live.problems);
    return kExitFindings;
  }
  Keyboard keyboard(signals);
  while (keyboard.wait(arguments.interval_seconds)) {
    TopFrame now = look(folder);
    noteProgress(before.look, now.look);
    if (once) {
      sayAll(now.live.problems);
      const int written = printOut(topText(before, now, arguments.rows, {}, color));
      return now.live.problems.empty() ? written : kExitFindings;
    }
    // The cursor stays on the last line: a line break there would scroll the first line away.
    std::string text = topText(before, now, arguments.rows, screenSize(STDOUT_FILENO), color);
    text.pop_back();
    if (const int written = printOut("\x1b[H\x1b[J" + text); written != kExitOk) {
      return written;
    }
    before = std::move(now);
  }
  return kExitOk;
}

} // namespace

void addTop(CLI::App& app, int& exit_status) {
  CLI::App* verb =
      app.add_subcommand("top", "Watch running jobs: their rates, and the ranks that hold up a collective");
  describe(
      *verb,
      {.usage = "commtap top [OPTIONS] FOLDER",
       .about = kTopAbout,
       .exit_status = kTopExitStatus,
       .examples = {
           "commtap top out",
           "commtap top out --once --interval 5",
       }});
  auto arguments = std::make_shared<TopArguments>();
  verb->add_option("FOLDER", arguments->path, "The folder that jobs write to, or a parent of it")
      ->required()
      ->type_name("");
  verb->add_option("--interval", arguments->interval_seconds, "Seconds between two refreshes; default: 1")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0));
  verb->add_option("--rows", arguments->rows, "Maximum number of rows per table; default: 8")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--once", arguments->once, "Print once and exit");
  verb->callback([arguments, &exit_status] { exit_status = top(*arguments); });
}

} // namespace commtap
