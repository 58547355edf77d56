// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/serve_paths.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/job/job_summary.h"
#include "report/merge/job_merge.h"
#include "tools/list/list_text.h"
#include "tools/live/live_folder.h"
#include "tools/serve/live_jobs.h"
#include "tools/show/screen_text.h"
#include "tools/text/markup.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="5">
<title>commtap</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; max-width: 100em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: .5em 0 1.5em; }
th, td { text-align: left; padding: .15em 1em .15em 0; border-bottom: 1px solid #8884; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; }
.bad { color: #c22; font-weight: 600; }
</style>
)";

std::string htmlText(std::string_view text) {
  return xmlText(inert(text));
}

std::string badText(const std::string& text) {
  return "<strong class=bad>" + text + "</strong>";
}

/// Returns whether the job runs, its step, and when its last collective or step was.
std::string stateLine(const JobReport& job, std::span<const Report* const> reports, uint64_t now_ns) {
  const uint64_t idle_s = idleSeconds(reports, now_ns);
  const std::string idle = humanDuration(static_cast<double>(idle_s) * 1e9);
  uint64_t steps = 0;
  for (const Report* report : reports) {
    steps = std::max(steps, endedSteps(*report).value_or(0));
  }
  std::string state;
  if (!isRunning(job)) {
    state = hasEndedBadly(job) ? badText("Failed, or was killed") : "<strong>Ended</strong>";
  } else if (idle_s >= kQuietJobSeconds) {
    state = badText("Quiet: no collective and no step for " + idle);
  } else {
    state = "<strong>Running</strong>";
  }
  return fmt::format("<p>{}. {}. Last activity {} ago.\n", state, counted(steps, "step"), idle);
}

/// Returns a line if ranks disagree.
std::string disagreementLine(const JobReport& job) {
  const bool runs = isRunning(job);
  const auto counts = [runs](const Disagreement& item) {
    return item.what != Disagreement::What::kModule && !mayYetAgree(item, runs);
  };
  const auto found = std::count_if(job.disagreements.begin(), job.disagreements.end(), counts);
  return found == 0 ? ""
                    : fmt::format("<p class=bad>Ranks disagree, differences found: {}; the page lists them\n", found);
}

using Reports = std::vector<const Report*>;

std::string attemptSection(const JobReport& job, const Reports& reports, const std::string& why, uint64_t now_ns) {
  return fmt::format(
             "<h2><a href=\"{}\">{}</a>{}</h2>\n",
             htmlText(jobAddress({job.run_id, job.attempt})),
             job.run_id.empty() ? "Run without a name" : htmlText(job.run_id),
             job.attempt == 0 ? "" : fmt::format(", attempt {}", job.attempt)) +
         stateLine(job, reports, now_ns) + (why.empty() ? "" : "<p class=bad>why: " + htmlText(why) + "\n") +
         disagreementLine(job) + "<pre>" + xmlText(numbersText(job, Color::none())) + "</pre>\n";
}

using Attempts = std::map<AttemptKey, Reports>;

/// Returns the table of `commtap list`. Runs with a section below have a link to their page.
std::string runTable(const RunList& runs, const Attempts& attempts) {
  if (runs.runs.empty()) {
    return "";
  }
  const std::vector<TextColumn> columns = textColumns(kListTitles);
  const auto row = [&columns](const char* tag, const std::vector<std::string>& cells) {
    std::string text = "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
      text += fmt::format("<{}{}>{}", tag, columns[i].align == Align::kRight ? " class=n" : "", cells[i]);
    }
    return text + "\n";
  };
  std::vector<std::string> titles;
  for (const TextColumn& column : columns) {
    titles.push_back(column.title);
  }
  std::string text = "<h2>Runs in the folder</h2>\n<p>The newest first; all numbers are sums over ranks.\n<table>";
  text += row("th", titles);
  for (const ListedRun& run : runs.runs) {
    std::vector<std::string> cells = listCells(run);
    std::transform(cells.begin(), cells.end(), cells.begin(), htmlText);
    const auto attempt = attempts.upper_bound({run.run_id, std::numeric_limits<int64_t>::max()});
    if (attempt != attempts.begin() && std::prev(attempt)->first.first == run.run_id) {
      std::string& name = cells[cells.size() - 2];
      name = fmt::format("<a href=\"{}\">{}</a>", htmlText(jobAddress(std::prev(attempt)->first)), name);
    }
    text += row("td", cells);
  }
  text += "</table>\n";
  return runs.older == 0 ? text : text + "<p>" + counted(runs.older, "older run") + ": commtap list --all\n";
}

} // namespace

std::string servePage(
    const LiveReports& live,
    const HangWatch& hangs,
    const RunList& runs,
    const std::string& folder,
    uint64_t now_ns) {
  Attempts attempts;
  for (const auto& report : live.reports) {
    attempts[{report->job.run_id, report->job.attempt}].push_back(report.get());
  }
  std::vector<JobReport> jobs;
  for (const auto& [key, reports] : attempts) {
    jobs.emplace_back(mergedJob(reports)).missing.clear(); // they may run on other nodes
  }
  std::ranges::stable_sort(jobs, std::greater<>(), &JobReport::started_at_ns);
  const auto running = static_cast<size_t>(std::ranges::count_if(jobs, [](const auto& job) { return isRunning(job); }));
  std::string page = kHead;
  page += fmt::format(
      "<h1>commtap</h1>\n<p>{}: {} on this node, {} ended recently. For Prometheus: <a "
      "href=\"metrics\">/metrics</a>.\n",
      htmlText(folder),
      counted(running, "running job"),
      jobs.size() - running);
  page += runTable(runs, attempts);
  for (const JobReport& job : jobs) {
    const AttemptKey key(job.run_id, job.attempt);
    page += attemptSection(job, attempts[key], hangs.why(key), now_ns);
  }
  for (const std::string& problem : live.problems) {
    page += fmt::format("<p class=bad>{}\n", htmlText(problem));
  }
  return page;
}

} // namespace commtap
