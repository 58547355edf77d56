// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/exposed_time.h"

#include <algorithm>
#include <utility>

#include "report/job/job_report.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

/// The times of the completed training steps, over the ranks. The first step is among them, since exposed times are of
/// all steps.
struct StepTimes {
  double sum_ns = 0;
  double steps = 0;       ///< times ranks
  double first_ns = 0;    ///< of the first training step, if it has a row of its own
  double first_ranks = 0; ///< that have completed it
};

StepTimes stepTimesOf(const JobReport& job) {
  StepTimes times;
  for (const StepsThatTrain& each : trainingSteps(job)) {
    const JobStep& row = *each.row;
    if (each.training > 0 && row.timed_ranks > 0) {
      if (times.steps == 0 && row.steps == 1) {
        times.first_ns = static_cast<double>(row.duration_ns.sum);
        times.first_ranks = static_cast<double>(row.timed_ranks);
      }
      times.sum_ns += static_cast<double>(row.duration_ns.sum);
      times.steps += static_cast<double>(row.timed_ranks) * static_cast<double>(row.steps);
    }
  }
  return times;
}

uint64_t exposedNs(const TimeTotals& row) {
  return row.time.of(DurationKind::kExposed).sum_ns;
}

} // namespace

ExposedUnit::ExposedUnit(const JobReport& job) : ranks_(std::max<uint64_t>(rankCount(job), 1)), steps_(stepsOf(job)) {
  const StepTimes times = stepTimesOf(job);
  step_ns_ = times.steps == 0 ? 0 : times.sum_ns / times.steps;
  if (times.first_ns > 2 * step_ns_ * times.first_ranks) {
    first_part_ = times.first_ns / times.sum_ns;
  }
}

double ExposedUnit::perRank(uint64_t sum_ns, bool setup) const {
  const uint64_t steps = setup ? 1 : std::max<uint64_t>(steps_, 1);
  return static_cast<double>(sum_ns) / static_cast<double>(ranks_) / static_cast<double>(steps);
}

std::optional<double> ExposedUnit::partOfStep(uint64_t sum_ns) const {
  const double per_step_ns = perRank(sum_ns);
  const bool is_known = steps_ > 0 && step_ns_ > 0 && per_step_ns <= step_ns_;
  return is_known ? std::optional(per_step_ns / step_ns_) : std::nullopt;
}

uint64_t exposedInSteps(const TimeTotals& group, const std::vector<TimeTotals>& by_module) {
  uint64_t left = exposedNs(group);
  for (const TimeTotals& row : by_module) {
    const bool is_its_setup = row.setup && row.kind == group.kind && row.group == group.group &&
                              row.backend == group.backend && row.group_size == group.group_size;
    left -= is_its_setup ? std::min(left, exposedNs(row)) : 0;
  }
  return left;
}

std::vector<StoodStill> stoodStill(const std::vector<TimeTotals>& by_module) {
  struct Sum {
    Stall stall;
    uint64_t most_ns = 0;
    const TimeTotals* mostly_for = nullptr;
  };
  std::map<StallPlace, Sum> sums;
  for (const TimeTotals& row : by_module) {
    for (const auto& [place, stall] : row.setup ? Stalls() : row.time.stalled_in) {
      Sum& sum = sums[place];
      addSaturating(sum.stall.count, stall.count);
      addSaturating(sum.stall.exposed_ns, stall.exposed_ns);
      if (sum.mostly_for == nullptr || stall.exposed_ns > sum.most_ns) {
        sum.most_ns = stall.exposed_ns;
        sum.mostly_for = &row;
      }
    }
  }
  std::vector<StoodStill> all;
  all.reserve(sums.size());
  for (const auto& [place, sum] : sums) {
    all.push_back({place, sum.stall, sum.mostly_for});
  }
  std::stable_sort(all.begin(), all.end(), [](const StoodStill& a, const StoodStill& b) {
    return a.stall.exposed_ns > b.stall.exposed_ns;
  });
  return all;
}

bool areAllTimed(const std::vector<TimeTotals>& rows) {
  return std::all_of(
      rows.begin(), rows.end(), [](const TimeTotals& row) { return row.time.timedCount() >= row.count; });
}

bool areAllTimed(const JobCollective& row) {
  return row.time.count >= row.amount.count.sum;
}

} // namespace commtap
