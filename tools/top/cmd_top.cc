// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/hosts/host_arguments.h"
#include "tools/live/job_look.h"
#include "tools/live/live_folder.h"
#include "tools/top/screen.h"
#include "tools/top/top_text.h"

namespace commtap {
namespace {

constexpr const char* kTopAbout =
    "Reads the ledgers of the jobs on this machine, even of hanging or stopped jobs; the jobs are not affected.\n"
    "If the job hangs, the line of `commtap why` comes first. Before that is certain, it is the groups that wait, the\n"
    "one that waits longest first: their ranks differ in collectives issued, or all issued the same one and none\n"
    "completed it. A rank that is late step after step is named while the job still runs.\n"
    "Each rank has its module and its process's state.\n"
    "A terminal is refreshed until q is typed; ? explains the keys. With other outputs, or --once, prints once after\n"
    "one interval.\n"
    "Hosts without a shared folder: run commtap serve on each, and name HOST:PORT,HOST:PORT instead of a folder.";
constexpr const char* kTopExitStatus =
    "0 shown; 1 no job is running here, or, with --once, some files are unreadable; 2 wrong usage, or FOLDER\n"
    "does not exist.";

constexpr size_t kDefaultRows = 8;

struct TopArguments {
  std::string path;
  HostArguments hosts;
  double interval_seconds = 1;
  size_t rows = kDefaultRows;
  bool once = false;
};

using Looker = std::function<TopFrame()>;

Looker lookerAt(const std::string& path) {
  return
      [folder = std::make_shared<LiveFolder>(path, hostName(), std::chrono::seconds(0)), late = LateWatch()]() mutable {
        const uint64_t now_ns = wallClockNs();
        const LiveReports live = folder->read(LiveFolder::Clock::now());
        TopFrame frame{lookOf(live.reports, now_ns), trafficOf(live.reports)};
        frame.look.problems = live.problems;
        late.look(frame.look);
        frame.late = late.late();
        return frame;
      };
}

Looker lookerAt(HostsView hosts) {
  HostQuestion question;
  question.traffic = true;
  return [hosts = std::move(hosts), question, late = LateWatch()]() mutable {
    HostsView::Seen seen = hosts.ask(question);
    std::erase_if(
        seen.look.processes, [](const SeenProcess& process) { return process.report->job.exit != ExitKind::kRunning; });
    late.look(seen.look);
    return TopFrame{std::move(seen.look), std::move(seen.traffic), late.late()};
  };
}

EarlierFrame earlierFrame(TopFrame frame) {
  return {earlier(frame.look), std::move(frame.traffic)};
}

int watch(const TopArguments& arguments, const Looker& look, const std::string& where) {
  const Color color = Color::forStream(STDOUT_FILENO);
  const bool once = arguments.once || isatty(STDOUT_FILENO) == 0;
  const sigset_t signals = blockEndSignals();
  TopFrame first = look();
  if (first.look.processes.empty()) {
    sayAll(first.look.problems);
    say(fmt::format("no running job was found {}: commtap show --last shows ended jobs", where));
    return kExitFindings;
  }
  EarlierFrame before = earlierFrame(std::move(first));
  Keyboard keyboard(signals);
  TopView view{.rows = arguments.rows};
  std::optional<TopFrame> now;
  for (char key = 0; (key = keyboard.wait(arguments.interval_seconds)) != 'q';) {
    view.press(key);
    if (key != 0 && !now) {
      continue;
    }
    if (key == 0) { // else the view of what was read may have changed
      if (now) {
        before = earlierFrame(std::move(*now));
      }
      now = look();
      noteProgress(before.look, now->look);
    }
    if (once) {
      sayAll(now->look.problems);
      const int written = printOut(topText(before, *now, view, {}, color));
      return now->look.problems.empty() ? written : kExitFindings;
    }
    // The cursor stays on the last line: a line break there would scroll the first line away.
    std::string text = topText(before, *now, view, screenSize(STDOUT_FILENO), color);
    text.pop_back();
    if (const int written = printOut("\x1b[H\x1b[J" + text); written != kExitOk) {
      return written;
    }
  }
  return kExitOk;
}

int top(const TopArguments& arguments) {
  Result<std::optional<HostsView>> hosts = hostsFor(arguments.hosts, pathsIn(arguments.path));
  if (!hosts) {
    say(hosts.error());
    return kExitUsage;
  }
  if (*hosts) {
    return watch(arguments, lookerAt(std::move(**hosts)), "on these hosts");
  }
  if (!isThere(arguments.path)) {
    return kExitUsage;
  }
  return watch(arguments, lookerAt(arguments.path), "on this machine that writes to " + arguments.path);
}

} // namespace

Verb topVerb() {
  auto arguments = std::make_shared<TopArguments>();
  return {
      .name = "top",
      .help = "Watch running jobs: their rates, and the ranks that hold up a collective",
      .usage = "commtap top [OPTIONS] [FOLDER]",
      .about = kTopAbout,
      .exit_status = kTopExitStatus,
      .examples =
          {
              "commtap top out",
              "commtap top out --once --interval 5",
              "commtap top node1:9464,node2:9464 --token-file token",
          },
      .options =
          OptionTable{
              {.names = "FOLDER",
               .help = "The folder that jobs write to, or a parent of it; or hosts with commtap serve: "
                       "HOST:PORT,HOST:PORT; default: that of COMMTAP_OUT, else commtap-out",
               .to = &arguments->path}} +
          hostOptions(arguments->hosts) +
          OptionTable{
              {.names = "--interval",
               .value = "SECONDS",
               .help = "Seconds between two refreshes; default: 1",
               .to = &arguments->interval_seconds,
               .least = 0.1,
               .most = 3600},
              {.names = "--rows",
               .value = "N",
               .help = "Maximum number of rows per table; default: 8",
               .to = &arguments->rows,
               .least = 1},
              {.names = "--once", .help = "Print once and exit", .to = &arguments->once}},
      .run = [arguments](const Given& /*given*/) {
        arguments->path = orDefaultFolder(arguments->hosts, arguments->path);
        return top(*arguments);
      }};
}

} // namespace commtap
