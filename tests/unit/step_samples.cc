// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/step_samples.h"

#include <utility>

#include "tests/unit/job_samples.h"

namespace commtap {

JobReport jobOfSteps(const std::vector<std::map<std::string, uint64_t>>& steps) {
  constexpr uint64_t kBytes = 8;
  Report report = sampleReport(0);
  const Collective row = rowOf(report, "DistributedDataParallel.net1", Kind::kAllGather);
  report.collectives.clear();
  report.members.clear();
  report.steps.clear();
  std::map<std::string, uint64_t> sums;
  for (const auto& calls_by_module : steps) {
    Step& step = report.steps.emplace_back();
    step.first_step = report.steps.size() - 1;
    step.forward_passes = step.backward_passes = 1;
    step.collectives = {{row.kind, row.group, 0, 0, 0, 0}};
    for (const auto& [module, calls] : calls_by_module) {
      sums[module] += calls;
      step.collectives[0].count += calls;
      step.collectives[0].bytes += calls * kBytes;
    }
  }
  for (const auto& [module, calls] : sums) {
    report.collectives.push_back(row);
    report.collectives.back().module = module;
    report.collectives.back().count = calls;
    report.collectives.back().bytes = calls * kBytes;
  }
  return jobOf({report});
}

JobReport jobKilledIn(const std::vector<std::map<std::string, uint64_t>>& steps) {
  JobReport job = jobOfSteps(steps);
  job.outside_steps.push_back(std::move(job.steps.back()));
  job.steps.pop_back();
  job.processes[0].exit = ExitKind::kKilled;
  return job;
}

} // namespace commtap
