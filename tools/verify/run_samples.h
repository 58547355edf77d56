// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/base/result.h"
#include "report/job/job_summary.h"
#include "report/replicas/job_facts.h"
#include "report/runs/report_scan.h"
#include "report/samples/samples.h"

namespace commtap {

/// The samples of one attempt of a run, and what its reports know.
struct RunSamples {
  std::vector<ProcessSamples> processes;
  JobFacts facts;                       ///< empty without reports
  std::vector<NotSeenSummary> not_seen; ///< of the reports
  std::vector<int64_t> doubled;         ///< ranks of which several processes have samples: one of each is judged
  uint64_t unreadable = 0;              ///< files of samples that could not be read
  std::vector<std::string> problems;
};

/// Reads the samples files at or below `path`, and the reports of their run. Fails if there are none of the selected
/// run and attempt.
Result<RunSamples>
readRunSamples(const std::string& path, const JobSelection& selection, const Progress& progress = {});

} // namespace commtap
