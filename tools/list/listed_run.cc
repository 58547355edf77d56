// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/list/listed_run.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "report/job/job_report.h"
#include "report/job/job_summary.h"
#include "report/merge/job_reader.h"
#include "report/merge/plan_merge.h"
#include "report/model/amounts.h"
#include "tools/prune/stored_run.h"
#include "tools/prune/stored_samples.h"

namespace commtap {
namespace {

constexpr std::array<std::string_view, kRunEndCount> kEnds = {"running", "killed", "signal", "failed", "normal"};

RunEnd endOf(const ExitSummary& exit) {
  switch (exit.exit) {
    case ExitKind::kRunning:
      return RunEnd::kRunning;
    case ExitKind::kKilled:
      return RunEnd::kKilled;
    case ExitKind::kSignal:
      return RunEnd::kSignal;
    case ExitKind::kNormal:
    case ExitKind::kUnderscoreExit:
      break;
  }
  return exit.hasFailed() ? RunEnd::kFailed : RunEnd::kNormal;
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
  for (const ExitSummary& exit : summaryOf(job).exits) {
    run.end = std::min(run.end, endOf(exit));
  }
  const Amount sum = sumOf(amountsOf(job), std::nullopt, std::nullopt);
  run.calls = sum.count;
  run.bytes = sum.bytes;
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

} // namespace

std::string_view runEndName(RunEnd end) {
  return kEnds.at(static_cast<size_t>(end));
}

Result<RunList> listRuns(const std::string& folder, size_t most, const Progress& progress) {
  const Result<ReportScan> scan = scanReports(folder, progress);
  if (!scan) {
    return Result<RunList>::failure(scan.error());
  }
  RunList list;
  list.problems = scan->problems;
  const std::map<std::string, uint64_t> sizes = sizesOf(folder, *scan, list);
  const std::vector<FoundRun> runs = runsOf(*scan);
  const size_t count = most == 0 ? runs.size() : std::min(most, runs.size());
  list.older = runs.size() - count;
  const bool is_plan = !planIn(folder).empty();
  for (size_t i = 0; i < count; ++i) {
    const JobSelection selection = {.run_id = runs[i].run_id};
    const Result<JobReport> job = is_plan ? readJob(folder, selection, {}) : mergeScan(folder, *scan, selection, {});
    if (!job) {
      list.problems.push_back(job.error());
      continue;
    }
    ListedRun& run = list.runs.emplace_back(listed(*job));
    const auto size = sizes.find(run.run_id);
    run.disk_bytes = size == sizes.end() ? 0 : size->second;
  }
  return list;
}

} // namespace commtap
