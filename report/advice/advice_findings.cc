// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/advice_findings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "report/model/saturating.h"

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

bool isOfBackward(Phase phase) {
  return phase == Phase::kBackward || phase == Phase::kRecompute || phase == Phase::kOptimizer;
}

double asDivisor(uint64_t number) {
  return static_cast<double>(std::max<uint64_t>(number, 1));
}

/// Returns the bytes that all ranks together would keep if they gathered the parameters of each module once. `rows` are
/// these gathers; those that repeat for one module count once.
double keptBytes(const std::vector<const JobCollective*>& rows) {
  std::map<std::string_view, double> by_module;
  for (const JobCollective* row : rows) {
    double& kept = by_module[row->module];
    const double one = static_cast<double>(row->amount.bytes.sum) / asDivisor(row->amount.count.sum);
    kept = std::max(kept, one * static_cast<double>(row->amount.ranks));
  }
  double sum = 0;
  for (const auto& [module, kept] : by_module) {
    sum += kept;
  }
  return sum;
}

} // namespace

Findings::Findings(const JobReport& job) : job_(job), steps_(commtap::trainingSteps(job)) {
  for (const StepsThatTrain& each : steps_) {
    addSaturating(training_, each.training);
    addSaturating(backward_passes_, each.row->backward_passes.value_or(0));
  }
  for (const JobCollective& row : job.collectives) {
    StepsWith& with = steps_with_[{row.kind, row.group}];
    uint64_t StepsWith::*const calls = row.setup ? &StepsWith::setup_calls : &StepsWith::forward_calls;
    addSaturating(with.*calls, row.setup || !isOfBackward(row.phase) ? row.amount.count.sum : 0);
  }
  countSteps();
}

void Findings::countSteps() {
  std::map<std::pair<Kind, size_t>, uint64_t> setup; // what the steps that are counted had
  for (const StepsThatTrain& each : steps_) {
    for (const JobStepAmount& amount : each.row->collectives) {
      StepsWith& with = steps_with_[{amount.kind, amount.group}];
      addSaturating(with.all, each.row->steps);
      addSaturating(with.training, each.training);
      uint64_t& done = setup[{amount.kind, amount.group}];
      const uint64_t in_setup = std::min(with.setup_calls - done, amount.count.sum); // it is in the first steps
      done += in_setup;
      addSaturating(with.evaluation_calls, each.training == 0 ? amount.count.sum - in_setup : 0);
    }
  }
}

bool Findings::hasMicroBatches() const {
  uint64_t batches = 0;
  for (const StepsThatTrain& each : steps_) {
    const uint64_t closures = std::min(each.row->closure_passes, each.row->backward_passes.value_or(0));
    const uint64_t backwards = each.row->backward_passes.value_or(0) - closures + std::min(closures, each.training);
    addSaturating(batches, each.training > 0 ? std::min(backwards, each.row->forward_passes.value_or(0)) : 0);
  }
  return training_ > 0 && batches / training_ >= 2;
}

uint64_t Findings::trainingCalls(const JobCollective& row) const {
  const StepsWith& with = steps_with_.at({row.kind, row.group});
  if (isOfBackward(row.phase) || row.setup || with.forward_calls == 0) {
    return row.amount.count.sum;
  }
  const double part = static_cast<double>(with.evaluation_calls) / static_cast<double>(with.forward_calls);
  return static_cast<uint64_t>(std::llround(static_cast<double>(row.amount.count.sum) * std::max(0.0, 1 - part)));
}

void Findings::add(AdviceRule rule, const JobCollective& row, Stake stake) {
  Found& found = found_[{rule, row.group}];
  found.advice.rule = &adviceRules()[static_cast<size_t>(rule)];
  found.advice.group = job_.groups[row.group].name;
  found.advice.calls += stake.calls * static_cast<double>(row.amount.count.sum) / stepsOf(row);
  found.advice.bytes += stake.bytes * static_cast<double>(row.amount.bytes.sum) / stepsOf(row);
  found.advice.exposed_ns += stake.exposed * static_cast<double>(row.time.exposed_ns) / stepsOf(row);
  found.advice.rows.push_back(&row);
  found.ranks.add(job_.rank_sets[row.rank_set], row.amount.ranks);
}

double Findings::calls(std::span<const JobCollective* const> rows) const {
  double calls = 0;
  RankUnion ranks;
  for (const JobCollective* row : rows) {
    calls += static_cast<double>(row->amount.count.sum) / stepsOf(*row);
    ranks.add(job_.rank_sets[row->rank_set], row->amount.ranks);
  }
  return calls / asDivisor(ranks.count());
}

double Findings::callsInEveryStep(const JobCollective& row) const {
  const JobCollective* const one = &row;
  return row.setup ? 0 : callsInEveryStep(std::span(&one, 1));
}

double Findings::callsInEveryStep(std::span<const JobCollective* const> rows) const {
  const auto [kind, group] = std::pair(rows.front()->kind, rows.front()->group);
  uint64_t setup = steps_with_.at({kind, group}).setup_calls; // they are in the first steps
  double all = 0;
  double smallest = std::numeric_limits<double>::max();
  bool has_single = false;
  for (const StepsThatTrain& each : steps_) {
    uint64_t calls = callsOf(*each.row, kind, group);
    const uint64_t in_setup = std::min(setup, calls);
    setup -= in_setup;
    calls -= in_setup;
    all += static_cast<double>(calls);
    if (each.training > 0) {
      smallest = std::min(smallest, static_cast<double>(calls) / asDivisor(each.row->steps));
      has_single = has_single || each.row->steps == 1;
    }
  }
  if (!has_single) {
    return 0;
  }
  const double uneven = all - smallest * static_cast<double>(training_);
  double left = -uneven;
  RankUnion ranks;
  for (const JobCollective* row : rows) {
    left += static_cast<double>(row->amount.count.sum);
    ranks.add(job_.rank_sets[row->rank_set], row->amount.ranks);
  }
  return std::max(0.0, left / asDivisor(ranks.count()) / asDivisor(training_));
}

std::vector<Advice> Findings::take() {
  std::vector<Advice> all;
  for (auto& [key, found] : found_) {
    found.advice.calls /= asDivisor(found.ranks.count());
    found.advice.bytes /= asDivisor(found.ranks.count());
    found.advice.exposed_ns /= asDivisor(found.ranks.count());
    if (found.advice.rule->takes_memory) {
      found.advice.memory_bytes = keptBytes(found.advice.rows) / asDivisor(found.ranks.count());
    }
    all.push_back(std::move(found.advice));
  }
  return all;
}

double Findings::stepsOf(const JobCollective& row) const {
  const auto found = steps_with_.find({row.kind, row.group});
  const StepsWith with = found == steps_with_.end() ? StepsWith() : found->second;
  const uint64_t steps = isOfBackward(row.phase) ? with.training : with.all;
  return asDivisor(steps > 0 ? steps : training_);
}

} // namespace commtap
