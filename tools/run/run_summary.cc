// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/advice/advice.h"
#include "tools/show/screen_text.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

std::string nextCommands(const JobReport& job, const std::string& folder, const Color& color) {
  const std::string word = placeOf(job, folder);
  const std::string page = pathWord(folder + "/report.html");
  return fmt::format(
      "  commtap show {}  {}\n  commtap html {} -o {}  {}\n  commtap show --ranks {}  {}\n",
      word,
      color.dim("# by module, on one screen"),
      word,
      page,
      color.dim("# as a page for a browser"),
      word,
      color.dim("# how the ranks differ"));
}

} // namespace

std::string noReportText(const MissingReport& missing) {
  const std::string start = fmt::format("commtap: no report was written to {}", inert(missing.folder));
  if (!missing.running.empty()) {
    return fmt::format(
        "{} yet: {} of the command may still write one (pid {})\n",
        start,
        counted(missing.running.size(), "process", "processes"),
        fmt::join(missing.running, ", "));
  }
  const char* const preloads =
      missing.takes_preload_for_path
          ? "it takes LD_PRELOAD, which names several libraries, for one path (as torch_memory_saver 0.0.8 to "
            "0.0.9.post1 do: commtap help doctor), "
          : "";
  return fmt::format(
      "{}: {}no process of the command made a torch.distributed collective (its ranks may not have passed the "
      "rendezvous), its reports went to another folder or were lost (a warning above says so), or the library could "
      "not be loaded (a static or setuid program, LD_PRELOAD removed on the way, another machine or container): run "
      "commtap doctor -- COMMAND\n",
      start,
      preloads);
}

std::string missedLine(const std::vector<std::string>& missed) {
  return fmt::format(
      "NOT COUNTED: {} loaded torch without commtap, because of another LD_PRELOAD, or none ({}{}): add libcommtap.so "
      "to it (commtap env)\n",
      counted(missed.size(), "process", "processes"),
      inert(missed.front()),
      missed.size() > 1 ? ", ..." : "");
}

std::string runSummary(const JobReport& job, const std::string& folder, const Color& color, const std::string& more) {
  return headerText(job, Scope::kRanks, color) + lateText(job, color) + kindsText(job, color) +
         adviceLine(adviceFor(job), "", placeOf(job, folder)) + more +
         fmt::format("reports: {}; next:\n", inert(folder)) + nextCommands(job, folder, color);
}

} // namespace commtap
