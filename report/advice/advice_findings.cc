// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <algorithm>
#include <limits>

#include "report/job/step_count.h"

namespace commtap {
namespace {

/// Returns the calls of a kind in a group that ranks made in a step, or in several that are added up.
uint64_t callsOf(const JobStep& step, Kind kind, size_t group) {
  uint64_t calls = 0;
  for (const JobStepAmount& amount : step.collectives) {
    calls += amount.kind == kind && amount.group == group ? amount.count.sum : 0;
  }
  return calls;
}

} // namespace

Findings::Findings(const JobReport& job)
    : job_(job), steps_(static_cast<double>(std::max<uint64_t>(stepsOf(job), 1))) {}

void Findings::add(AdviceRule rule, const JobCollective& row, Stake stake) {
  Advice& advice = found_[{rule, row.group}];
  advice.rule = &adviceRules()[static_cast<size_t>(rule)];
  advice.group = job_.groups[row.group].name;
  advice.calls += stake.calls * calls(row);
  advice.bytes += stake.bytes * bytes(row);
  advice.rows.push_back(&row);
}

double Findings::callsInEveryStep(const JobCollective& row) const {
  const uint64_t made = stepsOf(job_);
  if (made == 0 || row.setup) {
    return 0;
  }
  double all = 0;
  double smallest = std::numeric_limits<double>::max();
  for (const JobStep& step : job_.steps) {
    if (step.first_step < made) {
      const auto calls = static_cast<double>(callsOf(step, row.kind, row.group));
      all += calls;
      smallest = std::min(smallest, calls / static_cast<double>(std::max<uint64_t>(step.steps, 1)));
    }
  }
  const double uneven = all - smallest * steps_;
  return std::max(0.0, mean(static_cast<double>(row.amount.count.sum) - uneven, row));
}

std::vector<Advice> Findings::take() {
  std::vector<Advice> all;
  for (auto& [key, advice] : found_) {
    all.push_back(std::move(advice));
  }
  return all;
}

double Findings::mean(double sum, const JobCollective& row) const {
  return sum / static_cast<double>(std::max<uint64_t>(row.amount.ranks, 1)) / steps_;
}

} // namespace commtap
