// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/list/listed_run.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <utility>

#include "report/job/job_report.h"
#include "report/job/job_summary.h"
#include "report/merge/job_reader.h"
#include "report/merge/plan_merge.h"
#include "report/model/amounts.h"
#include "tools/cli/run_note.h"
#include "tools/prune/stored_run.h"

namespace commtap {
namespace {

RunEnd endBySignal(std::optional<int64_t> signal) {
  return signal == SIGKILL ? RunEnd::kKilled : RunEnd::kSignal;
}

RunEnd endOf(const ExitSummary& exit) {
  switch (exit.exit) {
    case ExitKind::kRunning:
      return RunEnd::kRunning;
    case ExitKind::kKilled:
      return RunEnd::kKilled;
    case ExitKind::kSignal:
      return endBySignal(exit.signal);
    case ExitKind::kNormal:
    case ExitKind::kUnderscoreExit:
    case ExitKind::kAfterWork:
      break;
  }
  return exit.hasFailed() ? RunEnd::kFailed : RunEnd::kNormal;
}

/// Returns whether the launcher ended the processes: as a consequence, if another process had failed.
bool wasEndedByLauncher(const ExitSummary& exit) {
  return exit.exit == ExitKind::kKilled ? exit.signal.has_value()
                                        : exit.exit == ExitKind::kSignal && exit.signal == SIGTERM;
}

/// Returns how a run ended. An exit with an error comes before the launcher's signals to the other ranks.
RunEnd endOf(const std::vector<ExitSummary>& exits) {
  const bool has_failed =
      std::any_of(exits.begin(), exits.end(), [](const ExitSummary& exit) { return exit.hasFailed(); });
  RunEnd end = RunEnd::kNormal;
  for (const ExitSummary& exit : exits) {
    end = has_failed && wasEndedByLauncher(exit) ? end : std::min(end, endOf(exit));
  }
  return end;
}

ListedRun listed(const JobReport& job) {
  ListedRun run;
  run.run_id = job.run_id;
  run.name = job.name;
  run.argv = job.argv;
  run.started_at_ns = job.started_at_ns;
  run.ended_at_ns = job.ended_at_ns;
  run.attempts = static_cast<int64_t>(std::max<size_t>(1, job.attempts.size()));
  run.ranks = job.ranks;
  run.missing = job.missing;
  run.world_size = job.world_size;
  run.planned = job.planned;
  for (const JobProcess& process : job.processes) {
    run.last_activity_ns = std::max(run.last_activity_ns, process.last_activity_ns);
  }
  run.end = endOf(exitsOf(job));
  const Amount sum = sumOf(amountsOf(job), std::nullopt, std::nullopt);
  run.calls = sum.count;
  run.bytes = sum.bytes;
  return run;
}

/// Returns how the command of a run ended.
RunEnd endOf(const RunNote& note) {
  return note.exit_signal                    ? endBySignal(note.exit_signal)
         : note.exit_status.value_or(0) != 0 ? RunEnd::kFailed
                                             : RunEnd::kNormal;
}

ListedRun listed(const RunNote& note) {
  ListedRun run;
  run.run_id = note.run_id;
  run.name = note.name;
  run.argv = note.argv;
  run.started_at_ns = note.started_at_ns;
  run.ended_at_ns = note.ended_at_ns;
  run.last_activity_ns = note.ended_at_ns;
  run.end = endOf(note);
  run.disk_bytes = note.bytes;
  return run;
}

/// Returns the bytes on the disk, by run. The path of one report has no samples.
std::map<std::string, uint64_t> sizesOf(const std::string& folder, const ReportScan& scan, RunList& list) {
  std::vector<StoredFile> files = storedFiles(scan);
  if (std::filesystem::is_directory(folder)) {
    for (StoredFile& samples : storedSamples(folder, list.problems, "")) {
      files.push_back(std::move(samples));
    }
  }
  std::map<std::string, uint64_t> sizes;
  for (const StoredRun& run : storedRuns(std::move(files))) {
    sizes[run.run_id] = run.bytes;
  }
  return sizes;
}

/// Adds runs with their reports, in their order.
void addReported(const std::string& folder, const ReportScan& scan, const std::vector<FoundRun>& runs, RunList& list) {
  list.problems = scan.problems;
  const std::map<std::string, uint64_t> sizes = sizesOf(folder, scan, list);
  const bool is_plan = !planIn(folder).empty();
  for (const FoundRun& found : runs) {
    const JobSelection selection = {.run_id = found.run_id};
    const Result<JobReport> job = is_plan ? readJob(folder, selection, {}) : mergeScan(folder, scan, selection, {});
    if (!job) {
      list.problems.push_back(job.error());
      continue;
    }
    ListedRun& run = list.runs.emplace_back(listed(*job));
    const auto size = sizes.find(run.run_id);
    run.disk_bytes = size == sizes.end() ? 0 : size->second;
  }
}

/// Returns the notes of runs that no rank left a report of, not on this machine nor on another.
std::vector<RunNote> notesWithoutReports(std::vector<RunNote> notes, const std::vector<FoundRun>& runs) {
  std::erase_if(notes, [&runs](const RunNote& note) {
    return note.has_report ||
           std::any_of(runs.begin(), runs.end(), [&note](const FoundRun& run) { return run.run_id == note.run_id; });
  });
  return notes;
}

/// Replaces the command line of the first process by the command of `commtap run`, where that was noted. If no rank was
/// active after the command, it was the last attempt's, and may have failed although each rank ended well.
void addCommands(const std::vector<RunNote>& notes, RunList& list) {
  for (ListedRun& run : list.runs) {
    const auto note =
        std::find_if(notes.begin(), notes.end(), [&run](const RunNote& each) { return each.run_id == run.run_id; });
    if (note != notes.end()) {
      run.argv = note->argv.empty() ? run.argv : note->argv;
      const bool is_last = note->ended_at_ns >= run.last_activity_ns;
      run.end = is_last && run.end == RunEnd::kNormal ? endOf(*note) : run.end;
    }
  }
}

/// Keeps the newest `most` runs that did not end as they should; all for 0.
void keepFailed(size_t most, RunList& list) {
  std::erase_if(list.runs, [](const ListedRun& run) {
    return run.planned || run.end == RunEnd::kNormal || run.end == RunEnd::kRunning;
  });
  if (most > 0 && list.runs.size() > most) {
    list.older = list.runs.size() - most;
    list.runs.resize(most);
  }
}

} // namespace

Result<RunList> listRuns(const std::string& folder, const RunFilter& filter, const Progress& progress) {
  const Result<ReportScan> scan = scanReports(folder, progress);
  std::vector<FoundRun> runs = scan ? runsOf(*scan) : std::vector<FoundRun>();
  const std::vector<RunNote> all_notes = runNotes(folder);
  std::vector<RunNote> notes = notesWithoutReports(all_notes, runs);
  if (!scan && notes.empty()) {
    return Result<RunList>::failure(scan.error());
  }
  const auto isTooOld = [&filter](const auto& run) { return run.started_at_ns < filter.since_ns; };
  std::erase_if(runs, isTooOld);
  std::erase_if(notes, isTooOld);
  const size_t all = runs.size() + notes.size();
  const bool reads_all = filter.most == 0 || filter.failed; // how a run ended is in its reports
  const size_t count = reads_all ? all : std::min(filter.most, all);
  RunList list;
  list.older = all - count;
  auto note = notes.begin();
  auto run = runs.begin();
  std::vector<FoundRun> reported;
  for (size_t i = 0; i < count; ++i) {
    const bool is_note = run == runs.end() || (note != notes.end() && note->started_at_ns > run->started_at_ns);
    if (is_note) {
      list.runs.push_back(listed(*note++));
    } else {
      reported.push_back(*run++);
    }
  }
  if (scan) {
    addReported(folder, *scan, reported, list);
  }
  addCommands(all_notes, list);
  std::stable_sort(list.runs.begin(), list.runs.end(), [](const ListedRun& a, const ListedRun& b) {
    return a.started_at_ns > b.started_at_ns;
  });
  if (filter.failed) {
    keepFailed(filter.most, list);
  }
  return list;
}

} // namespace commtap
