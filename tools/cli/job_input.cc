// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/job_input.h"

#include <utility>

#include "report/base/text_file.h"
#include "report/compare/plan_steps.h"
#include "report/job/job_report.h"
#include "report/merge/job_reader.h"
#include "report/merge/plan_merge.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/run_note.h"
#include "tools/cli/subcommands.h"
#include "tools/text/job_text.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

/// Returns whether the reports at `path` can be read, and none is of the selected run and attempt.
bool isSelectionAbsent(const std::string& path, const JobSelection& selection) {
  if (!selection.run_id && !selection.attempt) {
    return false;
  }
  const Result<ReportScan> scan = scanReports(path, {});
  return scan && !selectReports(*scan, selection);
}

/// Returns "", or one line if a merged report is of another run or attempt than the selected one.
std::string otherRunIn(const std::string& path, const JobReport& job, const JobSelection& selection) {
  const bool is_run = runsMeant({{job.run_id, 0, job.name}}, selection.run_id.value_or(job.run_id)).size() == 1;
  if (is_run && selection.attempt.value_or(job.attempt) == job.attempt) {
    return {};
  }
  return path + " holds run \"" + job.run_id + "\", attempt " + std::to_string(job.attempt) +
         ", and no other: merge the other one from its reports";
}

} // namespace

std::string failedRun(const std::string& path, const JobSelection& selection, uint64_t after_ns) {
  for (const RunNote& note : runNotes(path)) {
    const bool is_meant =
        !selection.run_id || runsMeant({{note.run_id, note.started_at_ns, note.name}}, *selection.run_id).size() == 1;
    if (is_meant && !note.has_report && note.started_at_ns > after_ns) {
      return noteText(note);
    }
  }
  return {};
}

void sayLaterFailure(const std::string& path, const JobSelection& selection, uint64_t after_ns) {
  const std::string later = selection.run_id ? "" : failedRun(path, selection, after_ns);
  if (!later.empty()) {
    say("this is not of the newest run: " + later);
  }
}

void sayRun(const std::string& run_id, uint64_t others, const JobSelection& selection) {
  if (others > 0 && !selection.run_id) {
    say("run " + inert(run_id) + " is read, " + leftOutText(others));
  }
}

void addMissed(const std::string& path, JobReport& job) {
  for (const RunNote& note : isJobReport(path) ? std::vector<RunNote>() : runNotes(path)) {
    if (note.run_id == job.run_id && note.missed > 0) {
      job.not_seen.push_back(missedEntry(note));
    }
  }
}

JobReport readJobInput(const std::string& path, const JobSelection& selection) {
  mustExist(path);
  recoverOrphanedLedgers(path);
  Result<JobReport> job = withProgress([&](const Progress& progress) { return readJob(path, selection, progress); });
  if (!job) {
    say(job.error());
    const int exit_status = isSelectionAbsent(path, selection) ? kExitUsage : kExitFindings;
    endIf(failedRun(path, selection, 0), exit_status);
    throw VerbEnd(exit_status);
  }
  endIf(otherRunIn(path, *job, selection));
  addMissed(path, *job);
  sayLaterFailure(path, selection, job->started_at_ns);
  sayRun(job->run_id, isJobReport(path) ? 0 : job->other_runs, selection);
  return std::move(*job);
}

Option inputLimit() {
  return {
      .names = "--max-file-size",
      .value = "SIZE",
      .help = "Reject files that take more memory to read, for example 4GiB; default: 1GiB",
      .to = setMaxInputSize,
      .unit = Unit::kBytes,
      .is_seldom = true};
}

void mustHoldRanks(const std::string& path) {
  if (isJobReport(path)) {
    endVerb(
        path +
        " is a merged report, which commtap show, diff, check and html read: give the folder of the reports, or one "
        "of them");
  }
}

JobReport planFor(const std::string& path, const JobReport& plan, const JobReport& run) {
  const uint64_t planned = stepsOf(plan);
  const uint64_t made = stepsOf(run);
  if (planned == made) {
    return plan;
  }
  const Result<JobReport> before = readJob(path + "/" + kBeforeLastFile, {}, {});
  if (!before || made + 1 < planned) {
    say(path + " plans " + std::to_string(planned) + " steps and the run made " + std::to_string(made) +
        ": plan as many, or give the folder of a plan with at least 2 steps and at most those of the run");
    return plan;
  }
  return planOfSteps(plan, *before, made);
}

} // namespace commtap
