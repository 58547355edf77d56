// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/job/job_report_json.h"
#include "tools/cli/job_input.h"
#include "tools/cli/output_file.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/hosts/host_arguments.h"
#include "tools/hosts/report_archive.h"
#include "tools/job/merge_text.h"
#include "tools/verify/verified_run.h"

namespace commtap {
namespace {

constexpr const char* kMergeAbout =
    "Reads the rank from each file's content, not from its name. Accepts any subset of the ranks, as reports or\n"
    "ledgers. Shows first where ranks of one process group disagree. commtap help merge describes the JSON.\n"
    "Hosts without a shared folder: run commtap serve on each, and name HOST:PORT,HOST:PORT instead of a folder.";
constexpr const char* kMergeExitStatus =
    "0 merged, and the ranks agree; 1 ranks disagree, or some files are unreadable; 2 wrong usage, or\n"
    "PATH, run or attempt does not exist.";

struct MergeArguments {
  std::string path;
  HostArguments hosts;
  std::string output;
  std::string format = "text";
  JobSelection selection;
};

/// Merges the reports of hosts. The downloaded files are deleted afterwards.
std::optional<JobReport> jobOn(const HostsView& hosts, const JobSelection& selection, int& exit_status) {
  const Result<DownloadedReports> reports = DownloadedReports::from(hosts);
  if (!reports) {
    say(reports.error());
    exit_status = kExitFindings;
    return std::nullopt;
  }
  const std::vector<std::string>& missing = reports->missing();
  if (reports->isEmpty()) {
    sayAll(missing);
    say("no report was received");
    exit_status = kExitFindings;
    return std::nullopt;
  }
  std::optional<JobReport> job = readJobInput(reports->folder(), selection, exit_status);
  if (!job) {
    sayAll(missing);
    return job;
  }
  job->source = fmt::format("{}", fmt::join(hosts.names(), ","));
  for (std::vector<std::string>* lines : {&job->copies, &job->problems}) {
    for (std::string& line : *lines) {
      line = reports->named(std::move(line));
    }
  }
  job->problems.insert(job->problems.begin(), missing.begin(), missing.end());
  return job;
}

int merge(const MergeArguments& arguments) {
  const Result<std::optional<HostsView>> hosts = hostsFor(arguments.hosts, pathsIn(arguments.path));
  if (!hosts) {
    say(hosts.error());
    return kExitUsage;
  }
  int exit_status = kExitOk;
  const std::optional<JobReport> job = *hosts ? jobOn(**hosts, arguments.selection, exit_status)
                                              : readJobInput(arguments.path, arguments.selection, exit_status);
  if (!job) {
    return exit_status;
  }
  std::string document;
  if (!arguments.output.empty() || arguments.format == "json") {
    document = jobReportToJson(*job);
  }
  if (!arguments.output.empty()) {
    OutputFile out(arguments.output);
    out.write(document);
    if (const std::string error = out.finish(); !error.empty()) {
      say(error);
      return kExitFindings;
    }
  }
  sayAll(job->copies);
  sayAll(job->problems);
  const bool is_text = arguments.format != "json";
  const std::string verified =
      is_text && !*hosts ? verifiedLine(arguments.path, {.run_id = job->run_id, .attempt = job->attempt}) : "";
  const int written = printOut(is_text ? verified + mergeText(*job, Color::forStream(STDOUT_FILENO)) : document);
  return job->problems.empty() && seriousDisagreements(*job).empty() ? written : kExitFindings;
}

} // namespace

Verb mergeVerb() {
  auto arguments = std::make_shared<MergeArguments>();
  return {
      .name = "merge",
      .help = "Merge the reports of a job's ranks into one",
      .usage = "commtap merge [OPTIONS] [PATH]",
      .about = kMergeAbout,
      .exit_status = kMergeExitStatus,
      .examples =
          {
              "commtap merge out",
              "commtap merge out -o job.json",
              "commtap merge out --format json | jq '.disagreements'",
              "commtap merge node1:9464,node2:9464 --token-file token -o job.json",
          },
      .options =
          OptionTable{
              {.names = "PATH",
               .help = "A folder of reports and ledgers, a report, a ledger, or a merged report; or hosts with commtap "
                       "serve: HOST:PORT,HOST:PORT; default: the folder of COMMTAP_OUT, else commtap-out",
               .to = &arguments->path}} +
          hostOptions(arguments->hosts) +
          OptionTable{
              {.names = "-o,--output",
               .value = "FILE",
               .help = "Also write the job report to this file, as JSON",
               .to = &arguments->output},
              formatOption(arguments->format, {"text", "json"})} +
          selectionOptions(arguments->selection),
      .run = [arguments](const Given& /*given*/) {
        arguments->path = orDefaultFolder(arguments->hosts, arguments->path);
        return merge(*arguments);
      }};
}

} // namespace commtap
