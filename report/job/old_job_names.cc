// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/old_job_names.h"

#include <vector>

#include "report/model/old_names.h"

namespace commtap {
namespace {

/// Returns the root modules; the class of a module in a job report is the innermost one's.
std::vector<OldRoot> rootsOf(const JobReport& job) {
  std::vector<OldRoot> roots;
  for (size_t i = 1; i < job.modules.size(); ++i) {
    if (job.modules[i].parent == 0) {
      roots.push_back({job.modules[i].name, job.modules[i].class_name});
    }
  }
  return roots;
}

} // namespace

void upgradeNames(JobReport& job) {
  job.has_old_reports = true;
  job.renamed = renamedRoots(rootsOf(job));
  if (job.renamed.empty()) {
    return;
  }
  const auto rename = [&job](std::string& module) { renameRoot(module, job.renamed); };
  for (JobModule& module : job.modules) {
    rename(module.name);
  }
  for (JobCollective& row : job.collectives) {
    rename(row.module);
    rename(row.issued_in);
  }
  for (TimeTotals& times : job.module_times) {
    rename(times.module);
  }
  for (Disagreement& disagreement : job.disagreements) {
    rename(disagreement.module);
    for (Disagreement::Value& value : disagreement.values) {
      if (value.call) {
        rename(value.call->module);
      }
    }
  }
  if (job.nccl) {
    for (JobNcclCall& call : job.nccl->calls) {
      rename(call.module);
    }
  }
}

} // namespace commtap
