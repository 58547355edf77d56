// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "report/sweep/sweep.h"
#include "tools/cli/job_input.h"
#include "tools/cli/output_file.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/html/html_page.h"
#include "tools/html/page_data.h"
#include "tools/text/text.h"
#include "tools/verify/verified_run.h"
#include "tools/why/job_verdict.h"

namespace commtap {
namespace {

constexpr const char* kHtmlAbout =
    "The file is complete and opens without a network. With two paths it shows the difference of two runs, with the\n"
    "numbers of commtap diff; --run and --attempt then choose from both. commtap help html explains the page.";
constexpr const char* kHtmlExitStatus =
    "0 written; 1 written without some unreadable files, or not written; 2 wrong usage, or PATH, run or\n"
    "attempt does not exist.";

struct HtmlArguments {
  std::vector<std::string> paths;
  std::string output = "commtap.html";
  JobSelection selection;
  std::vector<std::string> tolerances;
  bool total = false;
  bool open = false;
};

/// Opens the page that was written. Without a display it prints the path, for a browser elsewhere.
int openPage(const std::string& output) {
  std::error_code error;
  const std::string path = std::filesystem::absolute(output, error).string();
  return openInBrowser(path) ? kExitOk : printOut(inert(path) + "\n");
}

/// Writes the page. `what`: what the page shows, for the line on stdout.
int writePage(const HtmlArguments& arguments, const std::string& page, const std::string& what) {
  const std::string& output = arguments.output;
  if (output == "-") {
    return printOut(page);
  }
  OutputFile file(output);
  file.write(page);
  endIf(file.finish(), kExitFindings);
  const int printed = printOut(fmt::format("{}: {}, {}\n", inert(output), what, humanBytes(page.size())));
  return printed == kExitOk && arguments.open ? openPage(output) : printed;
}

std::string sizeText(const JobReport& job) {
  return counted(job.processes.size(), "process", "processes") + ", " + counted(job.modules.size(), "module");
}

/// Writes the page of one run.
int writeJob(const HtmlArguments& arguments, const JobReport& job) {
  const std::optional<Verification> verified =
      verifiedIfSampled(arguments.paths[0], {.run_id = job.run_id, .attempt = job.attempt});
  const std::string& path = arguments.paths[0];
  const PageChoice choice{std::filesystem::is_directory(path) ? endedLine(job, path) : "", arguments.total};
  return writePage(arguments, htmlPage(pageData(job, verified ? &*verified : nullptr, choice)), sizeText(job));
}

/// Writes the page of two runs.
int writeDiff(const HtmlArguments& arguments, const std::vector<JobReport>& jobs, const std::vector<Tolerance>& rules) {
  const std::string what = fmt::format("before {}, after {}", sizeText(jobs[0]), sizeText(jobs[1]));
  const ComparedSteps steps = arguments.total ? ComparedSteps() : comparedSteps(jobs[0], jobs[1]);
  return writePage(arguments, htmlPage(diffData(jobs[0], jobs[1], rules, steps)), what);
}

/// Writes the page of a sweep of `commtap plan`.
int writeSweep(const HtmlArguments& arguments, const std::string& file) {
  return writePage(arguments, htmlPage(orEnd(sweepData(file), kExitFindings)), "layouts");
}

/// Returns "", or a line that says which option is wrong.
std::string readRules(const HtmlArguments& arguments, std::vector<Tolerance>& rules) {
  if (arguments.paths.size() == 1 && !arguments.tolerances.empty()) {
    return "--tolerance accepts differences between two runs, and one path is given: give two paths or leave it out";
  }
  if (arguments.open && arguments.output == "-") {
    return "--open shows a file, and -o - writes to stdout: leave out one of them";
  }
  return readTolerances(arguments.tolerances, rules);
}

int html(const HtmlArguments& arguments) {
  std::vector<Tolerance> rules;
  const std::string wrong = readRules(arguments, rules);
  endIf(wrong.empty() ? "" : wrong + " (see commtap html --help)");
  if (const std::string sweep = sweepIn(arguments.paths[0]); arguments.paths.size() == 1 && !sweep.empty()) {
    return writeSweep(arguments, sweep);
  }
  std::vector<JobReport> jobs;
  for (const std::string& path : arguments.paths) {
    jobs.push_back(readJobInput(path, arguments.selection));
  }
  const int written = jobs.size() == 1 ? writeJob(arguments, jobs[0]) : writeDiff(arguments, jobs, rules);
  bool is_sound = true;
  for (const JobReport& job : jobs) {
    sayAll(job.copies);
    sayAll(job.problems);
    is_sound = is_sound && job.problems.empty();
  }
  return is_sound ? written : kExitFindings;
}

} // namespace

Verb htmlVerb() {
  auto arguments = std::make_shared<HtmlArguments>();
  return {
      .name = "html",
      .help = "Write an HTML file that shows a whole job, or two runs compared, in a browser",
      .usage = "commtap html [OPTIONS] [PATH | BEFORE AFTER]",
      .about = kHtmlAbout,
      .exit_status = kHtmlExitStatus,
      .examples =
          {
              "commtap html out --open",
              "commtap html out -o report.html",
              "commtap html job.json -o report.html   (from commtap export out --format job -o job.json)",
              "commtap html yesterday today -o diff.html",
          },
      .options =
          OptionTable{
              {.names = "PATH",
               .help = "A folder of reports and ledgers, a report, a ledger, a merged report, or the folder of a sweep "
                       "of commtap plan; or two runs to compare; default: the folder of COMMTAP_OUT, else commtap-out",
               .to = &arguments->paths,
               .at_most = 2},
              {.names = "-o,--output",
               .value = "FILE",
               .help = "The file to write; - is stdout; default: commtap.html",
               .to = &arguments->output},
              {.names = "--total",
               .help = "Show sums over ranks and steps; of two runs, numbers per rank and run",
               .to = &arguments->total},
              {.names = "--open",
               .help = "Show the page in the browser; without a display, print its path",
               .to = &arguments->open}} +
          selectionOptions(arguments->selection) + OptionTable{toleranceOption(arguments->tolerances)},
      .run = [arguments](const Given& /*given*/) {
        if (arguments->paths.empty()) {
          arguments->paths = {saidDefaultFolder()};
        }
        return html(*arguments);
      }};
}

} // namespace commtap
