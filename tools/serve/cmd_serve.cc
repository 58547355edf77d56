// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <memory>

#include <fmt/format.h>

#include "report/base/process.h"
#include "tools/cli/host_port.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/http/http_client.h"
#include "tools/live/job_look.h"
#include "tools/metrics/rank_metrics.h"
#include "tools/serve/http_server.h"
#include "tools/serve/live_metrics.h"
#include "tools/serve/otlp_push.h"
#include "tools/serve/serve_paths.h"

namespace commtap {
namespace {

constexpr const char* kServeAbout =
    "Answers GET /metrics for Prometheus (commtap help metrics). Answers GET / with a list of jobs, each with the "
    "page\n"
    "of commtap html (commtap help html) with live numbers, then with the runs of the folder, as commtap list has\n"
    "them. Answers commtap top, why, show and export that ask this host (commtap help hosts). Each request reads the\n"
    "ledgers of the jobs on this node; the jobs are not affected. An ended job stays for --keep minutes. Anyone who\n"
    "can reach the address can read the names of modules, groups and runs, and commands. The default address is\n"
    "reachable only from this machine, and answers only to the names of a loopback address. Any other address needs\n"
    "--token-file or --insecure.";
constexpr const char* kServeExitStatus = "0 ended by SIGTERM or SIGINT; 1 cannot listen on the address; 2 wrong usage.";

constexpr int kDefaultKeepMinutes = 10;
constexpr uint32_t kDefaultOtlpIntervalS = 60; ///< OpenTelemetry's own default
/// For answers in progress at SIGTERM. A read of a broken network file system may take forever.
constexpr std::chrono::seconds kMaxEndTime(1);
/// For the last numbers to reach a collector.
constexpr std::chrono::seconds kMaxPushTime(3);

struct ServeArguments {
  std::string path;
  std::string listen = "127.0.0.1:9464";
  uint32_t keep_minutes = kDefaultKeepMinutes;
  std::optional<uint32_t> depth;
  size_t max_series = kDefaultMaxSeries;
  std::string token_file;
  bool insecure = false;
  std::string otlp;
  uint32_t otlp_interval_s = kDefaultOtlpIntervalS;
};

/// Returns the clients to answer at `address`, or one line that says which option is missing.
Result<HttpAccess> accessAt(const HostPort& address, const ServeArguments& arguments) {
  if (!address.isLoopback() && arguments.token_file.empty() && !arguments.insecure) {
    return Result<HttpAccess>::failure(fmt::format(
        "--listen {}: other machines can reach this address: add --token-file FILE, or --insecure to answer all",
        address.text()));
  }
  HttpAccess access{.only_loopback_names = address.isLoopback()};
  if (!arguments.token_file.empty()) {
    Result<std::string> token = readTokenFile(arguments.token_file);
    if (!token) {
      return Result<HttpAccess>::failure("--token-file: " + token.error());
    }
    access.token = std::move(*token);
  }
  return access;
}

/// Returns null if no collector is wanted.
std::unique_ptr<OtlpPush> startPush(const ServeArguments& arguments, LiveMetrics& live) {
  if (arguments.otlp.empty()) {
    return nullptr;
  }
  return std::make_unique<OtlpPush>(
      OtlpTarget{otlpMetricsUrl(arguments.otlp), std::chrono::seconds(arguments.otlp_interval_s)},
      [&live, host = hostName()] { return live.otlp(host); },
      [](const std::string& line) { say("--otlp " + line); });
}

/// Answers until SIGTERM or SIGINT.
void answerUntilSignal(HttpServer& server, std::unique_ptr<OtlpPush> push, const sigset_t& signals) {
  const std::future<void> answers = std::async(std::launch::async, [&server] { server.run(); });
  int signal = 0;
  sigwait(&signals, &signal);
  server.stop();
  const std::future<void> pushed = std::async(std::launch::async, [&push] { push.reset(); });
  if (pushed.wait_for(kMaxPushTime) != std::future_status::ready ||
      answers.wait_for(kMaxEndTime) != std::future_status::ready) {
    _exit(kExitOk);
  }
}

void sayStart(const ServeArguments& arguments, const HostPort& address) {
  struct stat info {};
  const bool there = stat(arguments.path.c_str(), &info) == 0;
  say(fmt::format(
      "{} at http://{}/metrics{}", arguments.path, address.text(), there ? "" : " (the folder does not exist yet)"));
  if (!address.isLoopback() && arguments.token_file.empty()) {
    say("other machines can reach this address and read the names of modules, groups and runs, and commands");
  }
}

int serve(const ServeArguments& arguments) {
  const HostPort wanted = orEnd(parseHostPort(arguments.listen), kExitUsage, "--listen: ");
  const HttpAccess access = orEnd(accessAt(wanted, arguments));
  if (!arguments.otlp.empty()) {
    orEnd(parseUrl(arguments.otlp), kExitUsage, "--otlp: ");
  }
  if (struct stat facts{}; stat(arguments.path.c_str(), &facts) == 0 && !S_ISDIR(facts.st_mode)) {
    endVerb(arguments.path + " is not a folder: give the folder that jobs write to");
  }
  const sigset_t signals = blockEndSignals();
  LiveFolder folder(arguments.path, hostName(), std::chrono::minutes(arguments.keep_minutes));
  LiveMetrics live(std::move(folder), arguments.depth, arguments.max_series);
  HttpServer server(access);
  addServePaths(server, live, arguments.path);
  sayStart(arguments, orEnd(server.bind(wanted), kExitFindings));
  answerUntilSignal(server, startPush(arguments, live), signals);
  return kExitOk;
}

OptionTable serveOptions(ServeArguments& arguments) {
  return {
      {.names = "FOLDER",
       .help = "The folder that jobs write to, or a parent of it",
       .to = &arguments.path,
       .required = true},
      {.names = "--listen",
       .value = "HOST:PORT",
       .help = "Address to listen on; default: 127.0.0.1:9464; port 0 is any free port",
       .to = &arguments.listen},
      {.names = "--token-file",
       .value = "FILE",
       .help = "Answer only requests with this file's first line as bearer token",
       .to = &arguments.token_file},
      {.names = "--insecure",
       .help = "Answer everyone who can reach an address beyond loopback",
       .to = &arguments.insecure},
      {.names = "--keep",
       .value = "MINUTES",
       .help = "Minutes to serve a job after it ends; default: 10",
       .to = &arguments.keep_minutes},
      {.names = "--otlp",
       .value = "URL",
       .help = "Also push the metrics to this OpenTelemetry collector (OTLP/HTTP, JSON)",
       .to = &arguments.otlp},
      {.names = "--otlp-interval",
       .value = "SECONDS",
       .help = "Seconds from one push to the next; default: 60",
       .to = &arguments.otlp_interval_s,
       .least = 1},
      {.names = "--depth", .value = "N", .help = "Cut the module tree at this depth", .to = &arguments.depth},
      {.names = "--max-series",
       .value = "N",
       .help = "Maximum number of label sets per rank; default: 500",
       .to = &arguments.max_series,
       .least = 1}};
}

} // namespace

Verb serveVerb() {
  auto arguments = std::make_shared<ServeArguments>();
  return {
      .name = "serve",
      .help = "Serve live metrics of running jobs to Prometheus",
      .usage = "commtap serve [OPTIONS] FOLDER",
      .about = kServeAbout,
      .exit_status = kServeExitStatus,
      .examples =
          {"commtap serve out --listen 127.0.0.1:9464\ncurl http://127.0.0.1:9464/metrics",
           "commtap serve out --listen 0.0.0.0:9464 --token-file token",
           "commtap serve out --otlp http://collector:4318"},
      .options = serveOptions(*arguments),
      .run = [arguments](const Given& /*given*/) { return serve(*arguments); }};
}

} // namespace commtap
