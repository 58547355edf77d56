// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/cmd_serve.h"

#include <sys/stat.h>

#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/live/end_signals.h"
#include "tools/live/http_server.h"
#include "tools/live/live_metrics.h"
#include "tools/live/serve_paths.h"
#include "tools/metrics/job_metrics.h"

namespace commtap {
namespace {

constexpr const char* kAbout =
    "Answers GET /metrics for Prometheus (docs/metrics.md) and GET / with a small page that leads to a page for\n"
    "each job: that of commtap html (docs/html.md), with numbers that follow the job. Reads the ledgers of the jobs\n"
    "that run on this node when it is asked, and nothing else: jobs do not notice. A job that has ended stays for\n"
    "--keep minutes. Whoever reaches the address can read the names of modules, groups and runs: the default is for\n"
    "this machine alone.";
constexpr const char* kExitStatus = "0 ended by SIGTERM or SIGINT, 1 the address cannot be listened on, 2 wrong usage.";

constexpr int kDefaultKeepMinutes = 10;

struct ServeArguments {
  std::string path;
  std::string listen = "127.0.0.1:9464";
  uint32_t keep_minutes = kDefaultKeepMinutes;
  std::optional<uint32_t> depth;
  size_t max_series = kDefaultMaxSeries;
};

int serve(const ServeArguments& arguments) {
  const Result<ListenAddress> wanted = parseListenAddress(arguments.listen);
  if (!wanted) {
    say("--listen: " + wanted.error());
    return kExitUsage;
  }
  const sigset_t signals = blockEndSignals();
  LiveFolder folder(arguments.path, hostName(), std::chrono::minutes(arguments.keep_minutes));
  LiveMetrics live(std::move(folder), arguments.depth, arguments.max_series);
  HttpServer server;
  addServePaths(server, live, arguments.path);
  const Result<ListenAddress> bound = server.bind(*wanted);
  if (!bound) {
    say(bound.error());
    return kExitFindings;
  }
  std::thread thread([&server] { server.run(); });
  struct stat info {};
  const bool there = stat(arguments.path.c_str(), &info) == 0;
  say(fmt::format(
      "{} at http://{}/metrics{}", arguments.path, bound->text(), there ? "" : " (there is no such folder yet)"));
  if (!bound->isLoopback()) {
    say("other machines can read this address: names of modules, groups and runs are seen by whoever reaches it");
  }
  int signal = 0;
  sigwait(&signals, &signal);
  server.stop();
  thread.join();
  return kExitOk;
}

} // namespace

void addServe(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("serve", "Serve live metrics of running jobs to Prometheus");
  describe(
      *verb,
      {.usage = "commtap serve [OPTIONS] FOLDER",
       .about = kAbout,
       .exit_status = kExitStatus,
       .examples = {"commtap serve out --listen 127.0.0.1:9464\ncurl http://127.0.0.1:9464/metrics"}});
  auto arguments = std::make_shared<ServeArguments>();
  verb->add_option("FOLDER", arguments->path, "Where jobs write to, or a folder above it")->required()->type_name("");
  verb->add_option("--listen", arguments->listen, "Default: 127.0.0.1:9464; port 0 is any free one")
      ->type_name("HOST:PORT");
  verb->add_option("--keep", arguments->keep_minutes, "How long a job that has ended is told; default: 10")
      ->type_name("MINUTES");
  verb->add_option("--depth", arguments->depth, "The module tree down to this depth")->type_name("N");
  verb->add_option("--max-series", arguments->max_series, "Label sets a rank; default: 500")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verb->callback([arguments, &exit_status] { exit_status = serve(*arguments); });
}

} // namespace commtap
