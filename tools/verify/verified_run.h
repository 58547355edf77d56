// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "report/job/job_summary.h"
#include "report/layouts/layout_comparison.h"
#include "report/replicas/job_facts.h"
#include "report/runs/report_scan.h"
#include "report/samples/samples.h"
#include "report/verify/verification.h"

namespace commtap {

/// The samples of one attempt of a run, and what its reports know.
struct RunSamples {
  std::vector<ProcessSamples> processes;
  JobFacts facts;                       ///< empty without reports
  std::vector<NotSeenSummary> not_seen; ///< of the reports
  std::string chosen;                   ///< for people: which of several runs this is, if none was selected; else ""
  std::vector<int64_t> doubled;         ///< ranks of which several processes have samples: one of each is judged
  uint64_t other_runs = 0;              ///< with reports in the same folder
  uint64_t unreadable = 0;              ///< files of samples that could not be read
  std::vector<std::string> problems;
};

/// Reads the samples files at or below `path`, and the reports of their run. Fails if there are none of the selected
/// run and attempt.
Result<RunSamples>
readRunSamples(const std::string& path, const JobSelection& selection, const Progress& progress = {});

/// Returns one inert sentence for each reason why values of a run are not in its samples: ranks without any, files that
/// end early, and what the ranks could not sample.
std::vector<std::string> notSampledText(const RunSamples& run, const Verification& result);

/// Judges the samples at or below `path`, in words too. Fails if there are none of the selected run and attempt.
Result<Verification> verifiedRun(const std::string& path, const JobSelection& selection, const Progress& progress = {});

/// A run to compare.
struct RunPlace {
  std::string path;
  JobSelection selection;
};
/// How the user helps a comparison.
struct LayoutOptions {
  std::vector<std::pair<std::string, std::string>> renames; ///< prefixes of names of the first run, and their new ones
  bool has_same_data = false;                               ///< both runs read the same samples
};

/// Compares the first run with the second, in words too. The third is a second run of the second's layout, if given.
/// Fails if one has no samples, if two are one run, or if the renames make one name of two.
Result<LayoutComparison>
comparedRuns(const std::vector<RunPlace>& places, const LayoutOptions& options, const Progress& progress = {});

/// As verifiedRun(); nullopt if the run has no samples that can be read.
std::optional<Verification> verifiedIfSampled(const std::string& path, const JobSelection& selection);

/// Returns the line "verify: ..." for commands that show other facts of the run, with the command that shows more; ""
/// if the run has no samples.
std::string verifiedLine(const JobReport& job, const std::string& path);

} // namespace commtap
