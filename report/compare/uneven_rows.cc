// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/uneven_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/job/job_report.h"

namespace commtap {
namespace {

/// The amounts of one kind and group in the rows of a job's steps, over all ranks.
struct StepAmounts {
  uint64_t steps = 0;
  uint64_t training = 0;
  double calls = 0;
  double bytes = 0;
};
using KindAndGroup = std::pair<Kind, std::string>;

/// Returns the lower median, which is an amount that a step has; 0 for no amounts.
double lowerMedian(std::vector<double> amounts) {
  if (amounts.empty()) {
    return 0;
  }
  const auto middle = amounts.begin() + static_cast<std::ptrdiff_t>((amounts.size() - 1) / 2);
  std::nth_element(amounts.begin(), middle, amounts.end());
  return *middle;
}

/// Returns the amounts of each kind and group by row of the job's steps. Set-up is taken off the first steps, which it
/// precedes.
std::map<KindAndGroup, std::vector<StepAmounts>> amountsBySteps(const JobReport& job) {
  std::map<KindAndGroup, StepAmounts> setup;
  std::map<KindAndGroup, std::vector<StepAmounts>> found;
  const std::vector<StepsThatTrain> rows = trainingSteps(job);
  for (const JobCollective& row : job.collectives) {
    const KindAndGroup key{row.kind, job.groups[row.group].name};
    found[key].resize(rows.size());
    setup[key].calls += row.setup ? static_cast<double>(row.amount.count.sum) : 0;
    setup[key].bytes += row.setup ? static_cast<double>(row.amount.bytes.sum) : 0;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    for (auto& [key, amounts] : found) {
      amounts[i].steps = rows[i].row->steps;
      amounts[i].training = rows[i].training;
    }
    for (const JobStepAmount& amount : rows[i].row->collectives) {
      const KindAndGroup key{amount.kind, job.groups[amount.group].name};
      StepAmounts& left = setup[key];
      const double calls = std::min(left.calls, static_cast<double>(amount.count.sum));
      const double bytes = std::min(left.bytes, static_cast<double>(amount.bytes.sum));
      left.calls -= calls;
      left.bytes -= bytes;
      found[key].resize(rows.size());
      found[key][i] = {
          rows[i].row->steps,
          rows[i].training,
          static_cast<double>(amount.count.sum) - calls,
          static_cast<double>(amount.bytes.sum) - bytes};
    }
  }
  return found;
}

} // namespace

UnevenRows::UnevenRows(const JobReport& before, const JobReport& after, ComparedSteps steps) : steps_(steps) {
  if (steps.before != steps.after) {
    ranks_before_ = static_cast<double>(rankCount(before));
    ranks_after_ = static_cast<double>(rankCount(after));
    before_ = stepsIn(before);
    after_ = stepsIn(after);
  }
}

UnevenRows::StepsByGroup UnevenRows::stepsIn(const JobReport& job) {
  const auto ranks = static_cast<double>(rankCount(job));
  const auto of = [ranks](const std::vector<StepAmounts>& rows, double StepAmounts::*amount) {
    std::vector<double> single;
    for (const StepAmounts& row : rows) {
      if (row.training == 1 && row.steps == 1) {
        single.push_back(row.*amount / ranks);
      }
    }
    Amounts amounts{lowerMedian(std::move(single))};
    for (const StepAmounts& row : rows) {
      const double over = row.*amount / ranks - amounts.steady * static_cast<double>(row.training);
      amounts.extra += std::max(0.0, over);
      amounts.lacked += std::max(0.0, -over);
    }
    return amounts;
  };
  StepsByGroup steps;
  for (const auto& [key, rows] : amountsBySteps(job)) {
    steps[key] = {of(rows, &StepAmounts::calls), of(rows, &StepAmounts::bytes)};
  }
  return steps;
}

/// Returns what each further step adds to an amount per rank of the job; nullopt if the rest is not proven to be alike.
std::optional<double> UnevenRows::each(double before, double after, const Amounts& in_before, const Amounts& in_after)
    const {
  const auto steps_before = static_cast<double>(steps_.before);
  const auto steps_after = static_cast<double>(steps_.after);
  const double each = isNear(before, after) ? 0 : (after - before) / (steps_after - steps_before);
  const double rest = before - each * steps_before;
  const double rounding = kMeanRounding * std::max(before, after);
  const bool is_steady = each == 0 || (each > 0 && isNear(in_before.steady, in_after.steady));
  return is_steady && rest <= std::min(in_before.extra, in_after.extra) + rounding &&
                 -rest <= std::min(in_before.lacked, in_after.lacked) + rounding
             ? std::optional(each)
             : std::nullopt;
}

std::optional<UnevenRows::Alike> UnevenRows::alike(const CellChange& cell) const {
  const auto& [key, change] = cell;
  const auto in_before = before_.find({key.kind, key.group});
  const auto in_after = after_.find({key.kind, key.group});
  if (key.setup || change.before.ranks == 0 || change.after.ranks == 0 || change.hasOtherRanks() ||
      in_before == before_.end() || in_after == after_.end()) {
    return std::nullopt;
  }
  const auto eachOf = [&](uint64_t PerRank::*sum, Amounts Steps::*amounts) {
    return each(
        static_cast<double>(change.before.*sum) / ranks_before_,
        static_cast<double>(change.after.*sum) / ranks_after_,
        in_before->second.*amounts,
        in_after->second.*amounts);
  };
  const std::optional<double> calls = eachOf(&PerRank::count_sum, &Steps::calls);
  const std::optional<double> bytes = eachOf(&PerRank::bytes_sum, &Steps::bytes);
  if (!calls || !bytes) {
    return std::nullopt;
  }
  const auto of = [&](double ranks) {
    return Step{
        static_cast<uint64_t>(std::llround(*calls * ranks)), static_cast<uint64_t>(std::llround(*bytes * ranks))};
  };
  return Alike{of(ranks_before_), of(ranks_after_)};
}

} // namespace commtap
