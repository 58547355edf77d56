// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/cmd_top.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/live/end_signals.h"
#include "tools/live/top_text.h"

namespace commtap {
namespace {

constexpr const char* kAbout =
    "Reads the ledgers of the jobs that run on this machine, and nothing else: jobs do not notice, also one that "
    "hangs\n"
    "or is stopped. A group in which one rank has issued fewer collectives than others, while nobody goes on, is told\n"
    "first, with the module in which each rank was last. In a terminal the picture is renewed until SIGINT; "
    "elsewhere,\n"
    "and with --once, it is printed once, after one interval.";
constexpr const char* kExitStatus = "0 shown, 1 no job runs here, 2 wrong usage or no such FOLDER.";

constexpr size_t kDefaultRows = 8;

struct TopArguments {
  std::string path;
  double interval_seconds = 1;
  size_t rows = kDefaultRows;
  bool once = false;
};

TopFrame look(LiveFolder& folder) {
  const uint64_t now_ns = wallClockNs();
  return {folder.read(LiveFolder::Clock::now()), now_ns};
}

/// Returns false after SIGINT or SIGTERM.
bool wait(const sigset_t& signals, double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec timeout{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  return sigtimedwait(&signals, nullptr, &timeout) < 0;
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
    say(fmt::format("no job runs here that writes to {}; what ended is shown by commtap show --last", arguments.path));
    sayAll(before.live.problems);
    return kExitFindings;
  }
  while (wait(signals, arguments.interval_seconds)) {
    TopFrame now = look(folder);
    const std::string text = topText(before, now, arguments.rows, color);
    if (once) {
      sayAll(now.live.problems);
      return printOut(text);
    }
    if (const int written = printOut("\x1b[H\x1b[J" + text); written != kExitOk) {
      return written;
    }
    before = std::move(now);
  }
  return kExitOk;
}

} // namespace

void addTop(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("top", "Watch running jobs: rates, and which rank holds up which collective");
  describe(
      *verb,
      {.usage = "commtap top [OPTIONS] FOLDER",
       .about = kAbout,
       .exit_status = kExitStatus,
       .examples = {
           "commtap top out",
           "commtap top out --once --interval 5",
       }});
  auto arguments = std::make_shared<TopArguments>();
  verb->add_option("FOLDER", arguments->path, "Where jobs write to, or a folder above it")->required()->type_name("");
  verb->add_option("--interval", arguments->interval_seconds, "Between two looks; default: 1")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0));
  verb->add_option("--rows", arguments->rows, "Of each table; default: 8")->type_name("N")->check(CLI::PositiveNumber);
  verb->add_flag("--once", arguments->once, "Print one picture and end");
  verb->callback([arguments, &exit_status] { exit_status = top(*arguments); });
}

} // namespace commtap
