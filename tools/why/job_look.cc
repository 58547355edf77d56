// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/why/job_look.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/base/catch_errors.h"
#include "report/base/process.h"
#include "report/hang/hang_groups.h"
#include "report/hang/hang_judge.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/merge/report_reader.h"
#include "report/runs/report_paths.h"
#include "report/runs/report_scan.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

/// Returns a number that grows with whatever the process does that its report counts.
uint64_t progressOf(const Report& report) {
  uint64_t progress = report.steps.empty() ? 0 : report.steps.back().first_step;
  for (const Group& group : report.groups) {
    progress += group.collectives + group.point_to_point;
  }
  for (const Module& module : report.modules) {
    for (const uint64_t calls : module.calls) {
      progress += calls;
    }
  }
  return progress;
}

/// Reads a ledger, and looks at its process if that runs here.
void addLedger(const FoundReport& found, JobLook& look) {
  Result<LedgerContents> contents =
      catchErrors<LedgerContents>(found.path, [&found] { return readLedgerFile(found.path); });
  if (!contents) {
    if (!vanished(found.path)) {
      look.problems.push_back(contents.error());
    }
    return;
  }
  SeenProcess seen{std::make_shared<const Report>(std::move(contents->report)), std::nullopt};
  const uint64_t pid = seen.report->job.pid;
  const bool is_here = seen.report->job.exit == ExitKind::kRunning && contents->boot_id == bootId() &&
                       processStartTicks(pid) == contents->pid_start_ticks;
  if (is_here) {
    seen.sample = sampleOf(pid);
  }
  look.processes.push_back(std::move(seen));
}

void addPath(const std::string& path, std::set<ProcessKey>& known, JobLook& look) {
  const Result<ReportScan> scan = scanReports(path, {});
  if (!scan) {
    look.problems.push_back(scan.error());
    return;
  }
  look.problems.insert(look.problems.end(), scan->problems.begin(), scan->problems.end());
  std::vector<FoundReport> reports;
  for (const FoundReport& found : scan->reports) {
    if (!known.insert(processKeyOf(found.job)).second) {
      continue; // another path has it, too
    }
    if (found.is_ledger) {
      addLedger(found, look);
    } else {
      reports.push_back(found);
    }
  }
  forEachReport(reports, ReportDepth::kAll, {}, [&look](ReadReport item) {
    if (item.report) {
      look.processes.push_back({std::make_shared<const Report>(std::move(*item.report)), std::nullopt});
    } else {
      look.problems.push_back(item.report.error());
    }
  });
}

using Known = std::map<ProcessKey, const SeenProcess*>;

Known knownOf(const JobLook& look) {
  Known known;
  for (const SeenProcess& process : look.processes) {
    known.emplace(processKeyOf(process.report->job), &process);
  }
  return known;
}

bool hasMoved(const SeenProcess* before, const SeenProcess& now) {
  return before != nullptr && progressOf(*before->report) != progressOf(*now.report);
}

ProcessLook compared(const SeenProcess* before, const SeenProcess& now, double seconds) {
  ProcessLook look;
  look.is_here = now.sample.has_value();
  look.has_moved = hasMoved(before, now);
  if (look.is_here) {
    look.text = processStateText(now.sample);
    look.is_stopped = now.sample->state == 'T' || now.sample->state == 't';
    look.is_runnable =
        now.sample->state == 'R' || (before != nullptr && before->sample && before->sample->state == 'R');
  }
  if (look.is_here && before != nullptr && before->sample && seconds > 0) {
    const auto ticks = static_cast<double>(now.sample->cpu_ticks - before->sample->cpu_ticks);
    look.cpu_share = ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) / seconds;
  }
  return look;
}

} // namespace

JobLook lookAt(const std::vector<std::string>& paths) {
  JobLook look;
  std::set<ProcessKey> known;
  for (const std::string& path : paths) {
    addPath(path, known, look);
  }
  look.at_ns = wallClockNs();
  return look;
}

JobLook lookOf(std::span<const std::shared_ptr<const Report>> reports, uint64_t at_ns) {
  JobLook look;
  look.at_ns = at_ns;
  for (const std::shared_ptr<const Report>& report : reports) {
    const bool is_running = report->job.exit == ExitKind::kRunning;
    look.processes.push_back({report, is_running ? sampleOf(report->job.pid) : std::nullopt});
  }
  return look;
}

void noteProgress(const JobLook& before, JobLook& now) {
  const Known earlier = knownOf(before);
  const bool has_moved = std::any_of(now.processes.begin(), now.processes.end(), [&](const SeenProcess& process) {
    const auto same = earlier.find(processKeyOf(process.report->job));
    return hasMoved(same == earlier.end() ? nullptr : same->second, process);
  });
  now.moved_ns = has_moved ? now.at_ns : before.moved_ns;
}

Verdict verdictOf(const JobLook& before, const JobLook& now, double patience_s, bool has_all_hosts) {
  const Known earlier = knownOf(before);
  std::map<const Report*, const SeenProcess*> all;
  std::vector<const Report*> reports;
  for (const SeenProcess& process : now.processes) {
    all.emplace(process.report.get(), &process);
    reports.push_back(process.report.get());
  }
  const double seconds = now.at_ns > before.at_ns ? static_cast<double>(now.at_ns - before.at_ns) / 1e9 : 0;
  std::vector<RankSight> sights;
  for (const Report* report : oneProcessPerRank(reports)) {
    const auto same = earlier.find(processKeyOf(report->job));
    sights.push_back({report, compared(same == earlier.end() ? nullptr : same->second, *all.at(report), seconds)});
  }
  Verdict verdict;
  if (!sights.empty()) {
    verdict = judge(sights, {now.at_ns, patience_s, has_all_hosts, now.moved_ns});
  }
  verdict.problems = now.problems;
  verdict.line = lineOf(verdict);
  return verdict;
}

} // namespace commtap
