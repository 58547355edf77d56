// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/merge/job_merge.h"
#include "tests/unit/samples.h"
#include "tools/show/show_view.h"

namespace commtap {

struct SampleFile {
  std::string name;
  Report report;
};

/// The reports of a run, by rank.
struct SampleRun {
  std::vector<SampleFile> files;
  std::vector<std::string> problems;
};

/// Returns the folder of a run with reports of ranks 0 and 2.
inline SampleRun sampleFolder() {
  return {{{"rank-00000.json", sampleReport(0)}, {"rank-00002.json", sampleReport(2)}}, {}};
}

/// Returns the view of `commtap show` for the folder `out`, limited to `rank` if it is set.
inline ShowView viewOf(const SampleRun& folder, const ShowFilter& filter, std::optional<int64_t> rank = {}) {
  ShowDetails details(filter);
  JobMerge merge;
  for (const SampleFile& file : folder.files) {
    if (!rank || file.report.job.rank == rank) {
      merge.add(file.report, file.name);
      details.add(file.report);
    }
  }
  JobReport job = merge.finish();
  job.source = "out";
  job.problems = folder.problems;
  ShowView view = details.finish(std::move(job));
  view.rank = rank;
  view.is_one_process = rank.has_value();
  return view;
}

} // namespace commtap
