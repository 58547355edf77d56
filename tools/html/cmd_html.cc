// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/cmd_html.h"

#include <fmt/format.h>

#include "tools/cli/job_input.h"
#include "tools/cli/output_file.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"
#include "tools/html/html_page.h"
#include "tools/html/page_data.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kHtmlAbout = "The file is complete and opens without a network. docs/html.md explains the page.";
constexpr const char* kHtmlExitStatus =
    "0 written; 1 written without some unreadable files, or not written; 2 wrong usage, or PATH, run or\n"
    "attempt does not exist.";

struct HtmlArguments {
  std::string path;
  std::string output = "commtap.html";
  JobSelection selection;
};

int writePage(const std::string& output, const std::string& page, const JobReport& job) {
  if (output == "-") {
    return printOut(page);
  }
  OutputFile file(output);
  file.write(page);
  const std::string failure = file.finish();
  if (!failure.empty()) {
    say(failure);
    return kExitFindings;
  }
  return printOut(fmt::format(
      "{}: {} processes, {} modules, {}\n",
      inert(output),
      job.processes.size(),
      job.modules.size(),
      humanBytes(static_cast<double>(page.size()))));
}

int html(const HtmlArguments& arguments) {
  int exit_status = kExitOk;
  const std::optional<JobReport> job = readJobInput(arguments.path, arguments.selection, exit_status);
  if (!job) {
    return exit_status;
  }
  const int written = writePage(arguments.output, htmlPage(pageData(*job)), *job);
  sayAll(job->copies);
  sayAll(job->problems);
  return job->problems.empty() ? written : kExitFindings;
}

} // namespace

void addHtml(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("html", "Write an HTML file that shows a whole job in a browser");
  describe(
      *verb,
      {.usage = "commtap html [OPTIONS] PATH",
       .about = kHtmlAbout,
       .exit_status = kHtmlExitStatus,
       .examples = {
           "commtap html out -o report.html",
           "commtap html job.json -o report.html   (from commtap merge out -o job.json)",
       }});
  auto arguments = std::make_shared<HtmlArguments>();
  addPath(*verb, "PATH", arguments->path, "A folder of reports and ledgers, a report, a ledger, or a merged report");
  verb->add_option("-o,--output", arguments->output, "The file to write; - is stdout; default: commtap.html")
      ->type_name("FILE");
  addSelection(*verb, arguments->selection);
  verb->callback([arguments, &exit_status] { exit_status = html(*arguments); });
}

} // namespace commtap
