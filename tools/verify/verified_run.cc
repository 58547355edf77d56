// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "report/merge/job_reader.h"
#include "report/runs/report_paths.h"
#include "report/samples/samples_reader.h"
#include "report/verify/verification.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"
#include "tools/verify/finding_text.h"
#include "tools/verify/layout_text.h"

namespace commtap {
namespace {

/// Returns the run that is selected by its id, its name or a part of its id, as runsMeant(). nullopt if none is
/// selected. A selection of no run, or of several, is an error.
Result<std::optional<std::string>> selectedRun(
    const std::vector<ProcessSamples>& processes,
    const std::optional<std::string>& text) {
  if (!text) {
    return std::optional<std::string>();
  }
  std::map<std::string, FoundRun> by_id;
  for (const ProcessSamples& process : processes) {
    by_id[process.job.run_id] = {process.job.run_id, 0, process.job.name};
  }
  std::vector<FoundRun> runs;
  for (auto& [run_id, run] : by_id) {
    runs.push_back(std::move(run));
  }
  const std::vector<FoundRun> meant = runsMeant(runs, *text);
  return meant.size() > 1 ? Result<std::optional<std::string>>::failure(notOneRun(runs, *text))
                          : std::optional(meant.empty() ? *text : meant.front().run_id);
}

/// Keeps the selected attempt of the selected run: by default the last attempt of the run that was started last.
void select(std::vector<ProcessSamples>& processes, JobSelection& selection) {
  const auto erase = [&processes](const auto& is_other) {
    processes.erase(std::remove_if(processes.begin(), processes.end(), is_other), processes.end());
  };
  if (!selection.run_id && !processes.empty()) {
    const auto newest = std::max_element(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
      return a.job.started_at_ns < b.job.started_at_ns;
    });
    selection.run_id = newest->job.run_id;
  }
  erase([&selection](const ProcessSamples& process) { return process.job.run_id != selection.run_id; });
  if (!selection.attempt && !processes.empty()) {
    const auto last = std::max_element(
        processes.begin(), processes.end(), [](const auto& a, const auto& b) { return a.job.attempt < b.job.attempt; });
    selection.attempt = last->job.attempt;
  }
  erase([&selection](const ProcessSamples& process) { return process.job.attempt != selection.attempt; });
}

/// Returns the ranks of which several processes have samples.
std::vector<int64_t> doubledRanks(const std::vector<ProcessSamples>& processes) {
  std::map<int64_t, int> counts;
  for (const ProcessSamples& process : processes) {
    counts[process.job.rank.value_or(-1)] += process.job.rank ? 1 : 0;
  }
  std::vector<int64_t> doubled;
  for (const auto& [rank, count] : counts) {
    if (count > 1) {
      doubled.push_back(rank);
    }
  }
  return doubled;
}

/// Reads what the reports of the run know. Without it, groups are not known: less is found, and nothing more.
void addFacts(const std::string& path, const JobSelection& selection, const Progress& progress, RunSamples& run) {
  const Result<ReportScan> scan = scanReports(path, {});
  if (!scan) {
    run.problems.push_back(scan.error());
    return;
  }
  JobFacts of_groups;
  const Result<JobReport> job =
      mergeScan(path, *scan, selection, progress, [&of_groups](const Report& report, const std::string&) {
        addGroups(of_groups, report);
      });
  if (!job) {
    run.problems.push_back(job.error());
    return;
  }
  run.facts = jobFactsOf(*job);
  run.facts.groups = std::move(of_groups.groups);
  run.facts.idle_dimensions = std::move(of_groups.idle_dimensions);
  run.not_seen = job->not_seen;
  run.other_runs = job->other_runs;
  run.problems.insert(run.problems.end(), job->problems.begin(), job->problems.end());
}

} // namespace

Result<RunSamples> readRunSamples(const std::string& path, const JobSelection& selection, const Progress& progress) {
  RunSamples run;
  const std::vector<std::string> files = samplesPaths(path, run.problems);
  size_t done = 0;
  for (const std::string& file : files) {
    if (progress) {
      progress(done++, files.size());
    }
    Result<ProcessSamples> samples = readSamplesFile(file);
    if (samples && !samples->damage.empty()) {
      run.problems.push_back(file + ": " + samples->damage);
      ++run.unreadable;
    }
    if (samples) {
      run.processes.push_back(std::move(*samples));
    } else {
      run.problems.push_back(samples.error());
      ++run.unreadable;
    }
  }
  if (run.processes.empty() && !run.problems.empty()) {
    return Result<RunSamples>::failure(run.problems.front());
  }
  const Result<std::optional<std::string>> run_id = selectedRun(run.processes, selection.run_id);
  if (!run_id) {
    return Result<RunSamples>::failure(run_id.error());
  }
  JobSelection selected = selection;
  selected.run_id = *run_id;
  select(run.processes, selected);
  run.doubled = doubledRanks(run.processes);
  if (run.processes.empty()) {
    return Result<RunSamples>::failure(
        path + " has no samples" + (selection.run_id || selection.attempt ? " of this run and attempt" : "") +
        ": the job ran without COMMTAP_VERIFY=1, no rank began a step of a torch.optim.Optimizer, or the samples could "
        "not be written");
  }
  addFacts(path, selected, progress, run);
  return run;
}

Result<Verification> verifiedRun(const std::string& path, const JobSelection& selection, const Progress& progress) {
  const Result<RunSamples> run = readRunSamples(path, selection, progress);
  if (!run) {
    return Result<Verification>::failure(run.error());
  }
  Verification result = verify(run->processes, run->facts);
  result.other_runs = run->other_runs;
  result.not_sampled = notSampledText(*run, result);
  result.problems = run->problems;
  result.unreadable = run->unreadable + run->doubled.size();
  addWords(result);
  return result;
}

Result<LayoutComparison> comparedRuns(
    const std::string& path,
    const JobSelection& selection,
    const std::vector<std::string>& like,
    const LayoutOptions& options,
    const Progress& progress) {
  std::vector<RunSamples> runs;
  std::vector<WholeRun> whole;
  for (size_t i = 0; i <= like.size(); ++i) {
    Result<RunSamples> run = readRunSamples(i == 0 ? path : like[i - 1], i == 0 ? selection : JobSelection(), progress);
    if (!run) {
      return Result<LayoutComparison>::failure(run.error());
    }
    whole.push_back(wholeRunOf(run->processes, run->facts));
    runs.push_back(std::move(*run));
  }
  LayoutComparison result = compareLayouts(whole[0], whole[1], whole.size() > 2 ? &whole[2] : nullptr, options);
  for (const RunSamples& run : runs) {
    result.other_runs += run.other_runs;
    result.problems.insert(result.problems.end(), run.problems.begin(), run.problems.end());
    result.unreadable += run.unreadable + run.doubled.size();
  }
  const BitComparison bits = compareBits(runs[0].processes, runs[1].processes);
  result.first_bits = bits.differ;
  const std::filesystem::path other = std::filesystem::path(like[0]) / ""; // "one/" for "one", too
  addWords(result, "\"" + inert(other.parent_path().filename().string()) + "\"", bits.is_same_layout && !bits.differ);
  return result;
}

std::optional<Verification> verifiedIfSampled(const std::string& path, const JobSelection& selection) {
  Result<Verification> result = verifiedRun(path, selection);
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

std::string verifiedLine(const JobReport& job, const std::string& path) {
  const std::optional<Verification> result = verifiedIfSampled(path, {.run_id = job.run_id, .attempt = job.attempt});
  if (!result) {
    return "";
  }
  const std::string_view line = result->line;
  return fmt::format(
      "verify: {}: commtap verify {}\n",
      line.substr(0, line.size() - (line.ends_with('.') ? 1 : 0)),
      placeOf(job, path));
}

} // namespace commtap
