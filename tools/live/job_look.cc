// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/job_look.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "report/base/process.h"
#include "report/base/result.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/merge/job_merge.h"
#include "report/merge/job_reader.h"
#include "report/model/amounts.h"
#include "report/model/saturating.h"
#include "report/runs/report_paths.h"
#include "report/runs/report_scan.h"

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
  auto report = std::make_shared<const Report>(std::move(contents->report));
  const uint64_t pid = report->job.pid;
  const bool is_here = report->job.exit == ExitKind::kRunning && contents->boot_id == bootId() &&
                       processStartTicks(pid) == contents->pid_start_ticks;
  look.processes.push_back(seenProcess(std::move(report), is_here ? sampleOf(pid) : std::nullopt));
}

void addPath(const std::string& path, size_t index, std::set<ProcessKey>& known, JobLook& look) {
  const size_t before = look.processes.size();
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
      look.processes.push_back(seenProcess(std::make_shared<const Report>(std::move(*item.report)), std::nullopt));
    } else {
      look.problems.push_back(item.report.error());
    }
  });
  for (size_t i = before; i < look.processes.size(); ++i) {
    look.processes[i].path = index;
  }
}

/// Returns a look at none of the processes.
JobLook withoutProcesses(const JobLook& look) {
  JobLook made;
  made.at_ns = look.at_ns;
  made.moved_ns = look.moved_ns;
  made.has_all_hosts = look.has_all_hosts;
  return made;
}

/// Returns the runs that have a rank, the newest first.
std::vector<SeenRun> seenRuns(const JobLook& now) {
  std::map<std::string, SeenRun> by_id;
  for (const SeenProcess& process : now.processes) {
    const Job& job = process.report->job;
    if (!job.rank) {
      continue;
    }
    SeenRun& seen =
        by_id.try_emplace(job.run_id, SeenRun{{job.run_id, 0, job.name}, withoutProcesses(now)}).first->second;
    seen.run.started_at_ns = std::max(seen.run.started_at_ns, job.started_at_ns);
    seen.look.problems = now.problems;
    seen.look.processes.push_back(process);
  }
  std::vector<SeenRun> runs;
  for (auto& [run_id, seen] : by_id) {
    runs.push_back(std::move(seen));
  }
  std::stable_sort(runs.begin(), runs.end(), [](const SeenRun& a, const SeenRun& b) {
    return a.run.started_at_ns > b.run.started_at_ns;
  });
  return runs;
}

} // namespace

SeenProcess seenProcess(std::shared_ptr<const Report> report, std::optional<ProcessSample> sample) {
  const uint64_t progress = progressOf(*report);
  return {std::move(report), sample, progress, 0};
}

const EarlierLook::Process* EarlierLook::find(const Job& job) const {
  const auto found = processes.find(processKeyOf(job));
  return found == processes.end() ? nullptr : &found->second;
}

JobLook lookAt(const std::vector<std::string>& paths) {
  JobLook look;
  std::set<ProcessKey> known;
  for (size_t i = 0; i < paths.size(); ++i) {
    addPath(paths[i], i, known, look);
  }
  look.at_ns = wallClockNs();
  return look;
}

void addStarted(const std::vector<std::string>& folders, JobLook& look) {
  if (isRunning(look)) {
    return;
  }
  uint64_t last_ns = 0;
  for (const SeenProcess& process : look.processes) {
    last_ns = std::max(last_ns, lastActivityNs(*process.report));
  }
  for (const std::string& folder : folders) {
    const std::vector<StartedProcess> found = startedAfter(processesWritingTo(folder), last_ns);
    look.started.insert(look.started.end(), found.begin(), found.end());
  }
}

JobLook lookOf(std::span<const std::shared_ptr<const Report>> reports, uint64_t at_ns) {
  JobLook look;
  look.at_ns = at_ns;
  look.has_all_hosts = false;
  for (const std::shared_ptr<const Report>& report : reports) {
    const bool is_running = report->job.exit == ExitKind::kRunning;
    look.processes.push_back(seenProcess(report, is_running ? sampleOf(report->job.pid) : std::nullopt));
  }
  return look;
}

EarlierLook earlier(const JobLook& look) {
  EarlierLook made;
  made.at_ns = look.at_ns;
  made.moved_ns = look.moved_ns;
  for (const SeenProcess& process : look.processes) {
    made.processes.emplace(processKeyOf(process.report->job), EarlierLook::Process{process.progress, process.sample});
  }
  return made;
}

bool hasMoved(const EarlierLook::Process* before, const SeenProcess& now) {
  return before != nullptr && before->progress != now.progress;
}

void noteProgress(const EarlierLook& before, JobLook& now) {
  now.moved_ns = before.moved_ns;
  for (const SeenProcess& process : now.processes) {
    if (hasMoved(before.find(process.report->job), process)) {
      now.moved_ns[process.report->job.run_id] = now.at_ns;
    }
  }
}

bool isRunning(const JobLook& look) {
  return std::any_of(look.processes.begin(), look.processes.end(), [](const SeenProcess& process) {
    return process.report->job.exit == ExitKind::kRunning;
  });
}

std::map<AttemptKey, JobLook> byAttempt(const JobLook& now) {
  std::map<AttemptKey, JobLook> looks;
  for (const SeenProcess& process : now.processes) {
    const Job& job = process.report->job;
    if (job.rank) {
      const auto [look, is_new] = looks.try_emplace({job.run_id, job.attempt}, withoutProcesses(now));
      look->second.processes.push_back(process);
    }
  }
  return looks;
}

Result<ChosenRuns> chosenRuns(const JobLook& now, const std::string& wanted) {
  std::vector<SeenRun> runs = seenRuns(now);
  std::set<std::string> judged;
  std::set<size_t> paths;
  std::vector<FoundRun> all;
  for (const SeenRun& seen : runs) {
    all.push_back(seen.run);
    for (const SeenProcess& process : seen.look.processes) {
      if (wanted.empty() && paths.insert(process.path).second) {
        judged.insert(seen.run.run_id);
      }
    }
  }
  if (!wanted.empty()) {
    const std::vector<FoundRun> meant = runsMeant(all, wanted);
    if (meant.size() != 1) {
      return Result<ChosenRuns>::failure(notOneRun(all, wanted));
    }
    judged.insert(meant.front().run_id);
  }
  ChosenRuns chosen;
  for (SeenRun& seen : runs) {
    (judged.contains(seen.run.run_id) ? chosen.judged : chosen.others).push_back(std::move(seen));
  }
  return chosen;
}

sigset_t blockEndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void endAtSignals() {
  struct sigaction action {};
  action.sa_handler = [](int /*signal*/) { _exit(0); };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

namespace {

void addTable(TrafficTable& table, const TrafficTable& other) {
  for (const auto& [name, sums] : other) {
    table[name].add(sums);
  }
}

/// Returns whether the exposed share is known: a sample's share would cover only the sampled calls.
bool isShareKnown(const Report& report, const CollectiveTime& time) {
  return report.job.timing == Timing{1} && time.isKnown();
}

TrafficSums sumsOf(const Report& report, const Collective& row) {
  TrafficSums sums;
  sums.count = row.count;
  sums.bytes = row.bytes;
  sums.running_ns = row.time.of(DurationKind::kRunning).sum_ns;
  sums.running_bus_bytes = row.time.bus_bytes;
  if (isShareKnown(report, row.time)) {
    sums.exposed_ns = row.time.of(DurationKind::kExposed).sum_ns;
    sums.timed = 1;
  }
  return sums;
}

/// Adds a row to the sums of its process: however many rows are timed, it is one process.
void addRow(TrafficTable& table, const TrafficName& name, const TrafficSums& row) {
  TrafficSums& sums = table[name];
  const uint64_t timed = sums.timed | row.timed;
  sums.add(row);
  sums.timed = timed;
}

Traffic trafficOf(const Report& report) {
  Traffic traffic;
  const std::string run = runName(report.job);
  for (const Collective& row : report.collectives) {
    const TrafficSums sums = sumsOf(report, row);
    addRow(traffic.by_kind, {run, std::string(kindName(row.kind))}, sums);
    addRow(traffic.by_group, {run, groupTitle(report, row.group)}, sums);
    addRow(traffic.by_module, {run, row.module}, sums);
  }
  return traffic;
}

} // namespace

void TrafficSums::add(const TrafficSums& other) {
  addSaturating(count, other.count);
  addSaturating(bytes, other.bytes);
  addSaturating(running_ns, other.running_ns);
  running_bus_bytes += other.running_bus_bytes;
  addSaturating(exposed_ns, other.exposed_ns);
  addSaturating(timed, other.timed);
}

void Traffic::add(const Traffic& other) {
  addTable(by_kind, other.by_kind);
  addTable(by_group, other.by_group);
  addTable(by_module, other.by_module);
}

Traffic trafficOf(std::span<const std::shared_ptr<const Report>> reports) {
  Traffic traffic;
  for (const auto& report : reports) {
    traffic.add(trafficOf(*report));
  }
  return traffic;
}

std::string runName(const Job& job) {
  const std::string run = job.run_id.empty() ? "pid " + std::to_string(job.pid) : job.run_id;
  return job.attempt == 0 ? run : run + " attempt " + std::to_string(job.attempt);
}

} // namespace commtap
