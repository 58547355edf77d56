// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/host_arguments.h"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/cli/host_port.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/hosts/report_archive.h"

namespace commtap {
namespace {

using View = std::optional<HostsView>;
using Hosts = std::vector<HostPort>;

constexpr const char* kNodeList = "SLURM_JOB_NODELIST";

bool namesHosts(const HostArguments& arguments) {
  return arguments.slurm || !arguments.k8s.empty();
}

/// The hosts that the options name; empty if they name none.
Result<Hosts> hostsFromOptions(const HostArguments& arguments) {
  if (!arguments.k8s.empty()) {
    return hostsFromName(arguments.k8s, arguments.port);
  }
  if (!arguments.slurm) {
    return Hosts();
  }
  const char* nodes = std::getenv(kNodeList);
  if (nodes == nullptr || *nodes == '\0') {
    return Result<Hosts>::failure(
        fmt::format("--slurm: {} is not set: run this inside the job's allocation (srun --overlap)", kNodeList));
  }
  return hostsFromNodeList(nodes, arguments.port);
}

/// The hosts in `paths`; empty if the first of them is a path.
Result<Hosts> hostsFromPaths(const std::vector<std::string>& paths) {
  Hosts hosts;
  if (paths.empty() || !isHostList(paths.front())) {
    return hosts;
  }
  for (const std::string& path : paths) {
    Result<Hosts> more = hostsFromList(path);
    if (!more) {
      return more;
    }
    hosts.insert(hosts.end(), more->begin(), more->end());
  }
  return hosts;
}

} // namespace

Option hostsPath(std::string& path) {
  return {
      .names = "PATH",
      .help =
          "A folder of reports and ledgers, a report, a ledger, or a merged report; or hosts with commtap serve: "
          "HOST:PORT,HOST:PORT; default: the folder of COMMTAP_OUT, else commtap-out",
      .to = &path};
}

OptionTable hostOptions(HostArguments& arguments) {
  return {
      {.names = "--slurm",
       .help = "Ask commtap serve on the nodes of this Slurm job, not a folder",
       .to = &arguments.slurm},
      {.names = "--k8s",
       .value = "SERVICE",
       .help = "Ask commtap serve in the pods of this headless service, not a folder",
       .to = &arguments.k8s,
       .excludes = {"--slurm"}},
      {.names = "--port",
       .value = "PORT",
       .help = "Port of commtap serve, with --slurm and --k8s; default: 9464",
       .to = &arguments.port},
      {.names = "--token-file",
       .value = "FILE",
       .help = "Send hosts this file's first line as bearer token",
       .to = &arguments.token_file}};
}

std::string orDefaultFolder(const HostArguments& arguments, const std::string& path) {
  return path.empty() && !namesHosts(arguments) ? saidDefaultFolder() : path;
}

Result<View> hostsFor(const HostArguments& arguments, const std::vector<std::string>& paths) {
  const bool has_option = namesHosts(arguments);
  if (has_option != paths.empty()) {
    return Result<View>::failure(
        has_option ? "--slurm and --k8s name the hosts: leave the folder out"
                   : "a folder is missing, or hosts: HOST:PORT,HOST:PORT, --slurm or --k8s");
  }
  Result<Hosts> hosts = has_option ? hostsFromOptions(arguments) : hostsFromPaths(paths);
  if (!hosts) {
    return Result<View>::failure(hosts.error());
  }
  if (hosts->empty()) {
    return View();
  }
  std::string token;
  if (!arguments.token_file.empty()) {
    Result<std::string> read = readTokenFile(arguments.token_file);
    if (!read) {
      return Result<View>::failure("--token-file: " + read.error());
    }
    token = std::move(*read);
  }
  return View(HostsView(std::move(*hosts), std::move(token)));
}

JobReport readJobFrom(const std::optional<HostsView>& hosts, const std::string& path, const JobSelection& selection) {
  if (!hosts) {
    return readJobInput(path, selection);
  }
  const DownloadedReports reports = orEnd(DownloadedReports::from(*hosts), kExitFindings);
  const std::vector<std::string>& missing = reports.missing();
  JobReport job;
  try {
    endIf(reports.isEmpty() ? "no report was received" : "", kExitFindings);
    job = readJobInput(reports.folder(), selection);
  } catch (const VerbEnd&) {
    sayAll(missing);
    throw;
  }
  job.source = fmt::format("{}", fmt::join(hosts->names(), ","));
  for (std::vector<std::string>* lines : {&job.copies, &job.problems}) {
    for (std::string& line : *lines) {
      line = reports.named(std::move(line));
    }
  }
  job.problems.insert(job.problems.begin(), missing.begin(), missing.end());
  return job;
}

} // namespace commtap
