// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/base/process.h"
#include "report/json/row_write.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/hosts/host_arguments.h"
#include "tools/live/job_look.h"
#include "tools/live/live_folder.h"
#include "tools/text/text.h"
#include "tools/top/screen.h"
#include "tools/top/top_text.h"

namespace commtap {
namespace {

constexpr const char* kTopAbout =
    "Reads the ledgers of the jobs on this machine, even of hanging or stopped jobs; the jobs are not affected.\n"
    "What `commtap why` says of each job comes first, once ranks have waited for some seconds. A rank that comes late\n"
    "again and again is named while the job runs.\n"
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
  std::string run; ///< "": all
  double patience_s = TopView().patience_s;
  double interval_seconds = 1;
  size_t rows = kDefaultRows;
  bool once = false;
  bool json = false;
};

using Looker = std::function<TopFrame()>;

/// Leaves out other runs than the wanted one; "": none.
void keepRun(const std::string& wanted, TopFrame& frame) {
  if (wanted.empty()) {
    return;
  }
  const Result<ChosenRuns> runs = chosenRuns(frame.look, wanted);
  frame.look.processes = runs ? runs->judged.front().look.processes : std::vector<SeenProcess>();
  std::set<std::string> names;
  for (const SeenProcess& process : frame.look.processes) {
    names.insert(runName(process.report->job));
  }
  for (TrafficTable* table : {&frame.traffic.by_kind, &frame.traffic.by_group, &frame.traffic.by_module}) {
    std::erase_if(*table, [&names](const auto& row) { return !names.contains(row.first.first); });
  }
}

Looker lookerAt(const std::string& path, const std::string& run) {
  return [run,
          folder = std::make_shared<LiveFolder>(path, hostName(), std::chrono::seconds(0)),
          late = LateWatch()]() mutable {
    const uint64_t now_ns = wallClockNs();
    const LiveReports live = folder->read(LiveFolder::Clock::now());
    TopFrame frame{lookOf(live.reports, now_ns), trafficOf(live.reports)};
    frame.look.problems = live.problems;
    keepRun(run, frame);
    late.look(frame.look);
    frame.late = late.late();
    return frame;
  };
}

Looker lookerAt(HostsView hosts, const std::string& run) {
  HostQuestion question;
  question.traffic = true;
  return [run, hosts = std::move(hosts), question, late = LateWatch()]() mutable {
    HostsView::Seen seen = hosts.ask(question);
    std::erase_if(
        seen.look.processes, [](const SeenProcess& process) { return process.report->job.exit != ExitKind::kRunning; });
    TopFrame frame{std::move(seen.look), std::move(seen.traffic)};
    keepRun(run, frame);
    late.look(frame.look);
    frame.late = late.late();
    return frame;
  };
}

EarlierFrame earlierFrame(TopFrame frame) {
  return {earlier(frame.look), std::move(frame.traffic)};
}

int watch(const TopArguments& arguments, const Looker& look, const std::string& where) {
  const Color color = Color::forStream(STDOUT_FILENO);
  const bool once = arguments.once || arguments.json || isatty(STDOUT_FILENO) == 0;
  const sigset_t signals = blockEndSignals();
  TopFrame first = look();
  if (first.look.processes.empty()) {
    sayAll(first.look.problems);
    say(fmt::format("no running job was found {}: commtap show --last shows ended jobs", where));
    return kExitFindings;
  }
  EarlierFrame before = earlierFrame(std::move(first));
  Keyboard keyboard(signals);
  TopView view{.rows = arguments.rows, .patience_s = arguments.patience_s};
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
      const int written = printOut(
          arguments.json ? jsonDocument(topReport(before, *now, view)) : topText(before, *now, view, {}, color));
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
  std::optional<HostsView> hosts = orEnd(hostsFor(arguments.hosts, pathsIn(arguments.path)));
  const std::string of_run = arguments.run.empty() ? "" : ", of run " + inert(arguments.run);
  if (hosts) {
    return watch(arguments, lookerAt(std::move(*hosts), arguments.run), "on these hosts" + of_run);
  }
  mustExist(arguments.path);
  return watch(
      arguments, lookerAt(arguments.path, arguments.run), "on this machine that writes to " + arguments.path + of_run);
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
              {.names = "--run",
               .value = "ID",
               .help = "Show only this run: its id, a part of it, or its name; default: all",
               .to = &arguments->run},
              {.names = "--after",
               .value = "TIME",
               .help = "How long ranks that may still come must be without an event; default: 30s",
               .to = &arguments->patience_s,
               .unit = Unit::kSeconds,
               .least = 0.1,
               .most = 86400},
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
              {.names = "--once", .help = "Print once and exit", .to = &arguments->once},
              jsonOption(arguments->json, "commtap-top-1")},
      .run = [arguments](const Given& /*given*/) {
        arguments->path = orDefaultFolder(arguments->hosts, arguments->path);
        return top(*arguments);
      }};
}

} // namespace commtap
