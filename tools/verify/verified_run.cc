// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verify/verified_run.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "report/layouts/layout_judge.h"
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

/// Keeps the run that is selected by its id, its name or a part of its id, as runsMeant(), else the run that was
/// started last, and of this the selected attempt, else the last one. Returns the run's id and attempt; an error if the
/// selection fits several runs.
Result<JobSelection> select(RunSamples& run, const JobSelection& selection, const std::string& path) {
  std::vector<ProcessSamples>& processes = run.processes;
  std::map<std::string, FoundRun> by_id;
  for (const ProcessSamples& process : processes) {
    FoundRun& found = by_id[process.job.run_id];
    found = {process.job.run_id, std::max(found.started_at_ns, process.job.started_at_ns), process.job.name};
  }
  std::vector<FoundRun> runs;
  std::transform(by_id.begin(), by_id.end(), std::back_inserter(runs), [](const auto& entry) { return entry.second; });
  std::sort(
      runs.begin(), runs.end(), [](const FoundRun& a, const FoundRun& b) { return a.started_at_ns > b.started_at_ns; });
  const std::vector<FoundRun> meant = selection.run_id ? runsMeant(runs, *selection.run_id) : runs;
  if (selection.run_id && meant.size() > 1) {
    return Result<JobSelection>::failure(notOneRun(runs, *selection.run_id));
  }
  if (meant.size() > 1) {
    run.chosen = fmt::format("the newest of the {} runs in {}, \"{}\"", runs.size(), path, meant.front().run_id);
  }
  JobSelection selected{
      .run_id = meant.empty() ? selection.run_id : meant.front().run_id, .attempt = selection.attempt};
  std::erase_if(processes, [&](const ProcessSamples& process) { return process.job.run_id != selected.run_id; });
  for (const ProcessSamples& process : processes) {
    const int64_t attempt = std::max(selected.attempt.value_or(0), process.job.attempt);
    selected.attempt = selection.attempt ? selection.attempt : std::optional(attempt);
  }
  std::erase_if(processes, [&](const ProcessSamples& process) { return process.job.attempt != selected.attempt; });
  return selected;
}

/// Returns the ranks of which several processes have samples.
std::vector<int64_t> doubledRanks(const std::vector<ProcessSamples>& processes) {
  std::set<int64_t> seen;
  std::set<int64_t> doubled;
  for (const ProcessSamples& process : processes) {
    if (process.job.rank && !seen.insert(*process.job.rank).second) {
      doubled.insert(*process.job.rank);
    }
  }
  return {doubled.begin(), doubled.end()};
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
  run.facts.mesh_dims = std::move(of_groups.mesh_dims);
  run.facts.idle_dimensions = std::move(of_groups.idle_dimensions);
  run.not_seen = job->not_seen;
  run.other_runs = job->other_runs;
  run.problems.insert(run.problems.end(), job->problems.begin(), job->problems.end());
}

} // namespace

Result<RunSamples> readRunSamples(const std::string& path, const JobSelection& selection, const Progress& progress) {
  if (!std::filesystem::is_directory(path)) {
    return Result<RunSamples>::failure(path + " is no folder: give the folder that commtap wrote to");
  }
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
  const Result<JobSelection> selected = select(run, selection, path);
  if (!selected) {
    return Result<RunSamples>::failure(selected.error());
  }
  run.doubled = doubledRanks(run.processes);
  if (run.processes.empty()) {
    return Result<RunSamples>::failure(
        path + " has no samples" + (selection.run_id || selection.attempt ? " of this run and attempt" : "") +
        ": the job ran without COMMTAP_VERIFY=1, no rank began a step of a torch.optim.Optimizer, or the samples could "
        "not be written");
  }
  addFacts(path, *selected, progress, run);
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

namespace {

/// Replaces the beginning of names by the first rename that fits. Returns "", or which two names became one.
std::string renameParameters(WholeRun& run, const LayoutOptions& options, std::vector<std::string>& notes) {
  std::map<std::string, std::string> known;
  std::set<std::string> used;
  for (WholeParameter& parameter : run.parameters) {
    const std::string old = parameter.name;
    const auto rename = std::find_if(options.renames.begin(), options.renames.end(), [&old](const auto& each) {
      return old.starts_with(each.first);
    });
    if (rename != options.renames.end()) {
      parameter.name = rename->second + old.substr(rename->first.size());
      used.insert(rename->first);
    }
    if (const auto [other, is_new] = known.emplace(parameter.name, old); !is_new) {
      return fmt::format("--rename makes one name of {} and {}: {}", other->second, old, parameter.name);
    }
  }
  for (const auto& [from, to] : options.renames) {
    if (!used.contains(from)) {
      notes.push_back(fmt::format("--rename {}={} changes no name", from, to));
    }
  }
  return "";
}

} // namespace

Result<LayoutComparison>
comparedRuns(const std::vector<RunPlace>& places, const LayoutOptions& options, const Progress& progress) {
  std::vector<RunSamples> runs;
  std::vector<WholeRun> whole;
  std::vector<std::string> notes;
  for (const RunPlace& place : places) {
    Result<RunSamples> run = readRunSamples(place.path, place.selection, progress);
    if (!run) {
      return Result<LayoutComparison>::failure(run.error());
    }
    for (const RunSamples& other : runs) {
      if (processKeyOf(other.processes.front().job) == processKeyOf(run->processes.front().job)) {
        return Result<LayoutComparison>::failure(
            "run \"" + other.processes.front().job.run_id +
            "\" would be compared with itself: choose by --run and --like-run");
      }
    }
    if (!run->chosen.empty()) {
      notes.push_back(run->chosen + ", was read: --run and --like-run choose another one");
    }
    whole.push_back(wholeRunOf(run->processes, run->facts));
    runs.push_back(std::move(*run));
  }
  const std::string wrong = renameParameters(whole[0], options, notes);
  if (!wrong.empty()) {
    return Result<LayoutComparison>::failure(wrong);
  }
  const WholeRun* again = whole.size() > 2 ? &whole[2] : nullptr;
  LayoutComparison result = compareLayouts(whole[0], whole[1], again, options.has_same_data);
  result.notes = std::move(notes);
  for (const RunSamples& run : runs) {
    result.other_runs += run.other_runs;
    result.problems.insert(result.problems.end(), run.problems.begin(), run.problems.end());
    result.unreadable += run.unreadable + run.doubled.size();
  }
  const BitComparison bits = compareBits(runs[0].processes, runs[1].processes);
  if (bits.differ) {
    result.notes.push_back(fmt::format(
        "the first bits that differ are in the {} of {} at step {} on rank {}, by {} of its size",
        bits.differ->is_gradient ? "gradient" : "values",
        bits.differ->parameter,
        bits.differ->step,
        bits.differ->rank,
        distanceText(bits.differ->distance)));
  }
  const std::filesystem::path other = std::filesystem::path(places[1].path) / ""; // "one/" for "one", too
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
