// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_summary.h"

#include <fmt/format.h>

#include "report/advice/advice.h"
#include "tools/show/screen_text.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string whyNoReport(const std::string& folder) {
  return fmt::format(
      "commtap: no report was written to {}: no process of the command made a torch.distributed collective (its ranks "
      "may not have passed the rendezvous), its counts were lost (a warning says so), or the library could not be "
      "loaded (a static or setuid program, LD_PRELOAD removed on the way, another machine or container): run commtap "
      "doctor -- COMMAND\n",
      inert(folder));
}

std::string nextCommands(const std::string& folder, const Color& color) {
  const std::string word = pathWord(folder);
  const std::string page = pathWord(folder + "/report.html");
  return fmt::format(
      "  commtap show {}  {}\n  commtap html {} -o {}  {}\n  commtap merge {}  {}\n",
      word,
      color.dim("# by module, on one screen"),
      word,
      page,
      color.dim("# as a page for a browser"),
      word,
      color.dim("# how the ranks differ"));
}

} // namespace

std::string
runSummary(const Result<JobReport>& job, const std::string& folder, const Color& color, const std::string& more) {
  if (!job) {
    return whyNoReport(folder);
  }
  return headerText(*job, Scope::kRanks, color) + lateText(*job, color) + kindsText(*job, color) +
         adviceLine(adviceFor(*job), "", folder) + more + fmt::format("reports: {}; next:\n", inert(folder)) +
         nextCommands(folder, color);
}

} // namespace commtap
