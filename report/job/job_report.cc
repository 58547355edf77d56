// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_report.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "report/json/fields.h"
#include "report/model/saturating.h"

namespace commtap {

std::vector<ExitSummary> exitsOf(const JobReport& job) {
  using End = std::tuple<ExitKind, std::optional<int64_t>, std::optional<int64_t>>;
  std::map<End, std::pair<std::vector<int64_t>, size_t>> sets;
  for (const JobProcess& process : job.processes) {
    auto& [ranks, unranked] = sets[{process.exit, process.exit_signal, process.exit_status}];
    if (process.rank) {
      ranks.push_back(*process.rank);
    } else {
      ++unranked;
    }
  }
  std::vector<ExitSummary> exits;
  exits.reserve(sets.size());
  for (auto& [end, set] : sets) {
    const auto& [exit, signal, status] = end;
    exits.push_back({exit, signal, status, rankRanges(std::move(set.first)), set.second});
  }
  return exits;
}

size_t unrankedOf(const JobReport& job) {
  return static_cast<size_t>(std::count_if(
      job.processes.begin(), job.processes.end(), [](const JobProcess& process) { return !process.rank; }));
}

JobReport::JobReport() = default;
JobReport::JobReport(const JobReport&) = default;
JobReport::JobReport(JobReport&&) noexcept = default;
JobReport& JobReport::operator=(const JobReport&) = default;
JobReport& JobReport::operator=(JobReport&&) noexcept = default;
JobReport::~JobReport() = default;

std::span<const Disagreement> seriousDisagreements(const JobReport& job) {
  const auto end = std::find_if(job.disagreements.begin(), job.disagreements.end(), [](const Disagreement& each) {
    return each.what >= Disagreement::What::kModule;
  });
  return {job.disagreements.begin(), end};
}

Amount sumOf(const RankedAmount& amount) {
  return {amount.count.sum, amount.bytes.sum, amount.bus_bytes.sum};
}

Amounts amountsOf(const JobReport& job) {
  Amounts amounts;
  for (const JobTotal& total : job.totals) {
    amounts[total.key] += sumOf(total.amount);
  }
  return amounts;
}

ProcessesOfRank processesOfRank(const JobReport& job) {
  std::multimap<std::pair<int64_t, uint64_t>, const JobProcess*> processes; // by rank and start
  for (const JobProcess& process : job.processes) {
    if (process.rank) {
      processes.insert({{*process.rank, process.started_at_ns}, &process});
    }
  }
  struct Lives {
    uint64_t count = 0;
    uint64_t communicated = 0;
    bool follow = false;
    uint64_t end_ns = 0; ///< of the last one that ended
  };
  std::map<int64_t, Lives> by_rank;
  const auto isMade = [](const Amount& amount) { return amount.count > 0; };
  ProcessesOfRank most;
  for (const auto& [begin, process] : processes) {
    Lives& lives = by_rank[begin.first];
    lives.follow = lives.follow || (lives.count > 0 && begin.second >= lives.end_ns);
    ++lives.count;
    lives.communicated += std::ranges::any_of(process->totals, isMade) ? 1 : 0;
    lives.end_ns = std::max({lives.end_ns, process->ended_at_ns.value_or(0), process->last_activity_ns});
    const ProcessesOfRank found = {lives.follow ? lives.count : lives.communicated, lives.follow};
    most = std::pair(found.follow, found.count) > std::pair(most.follow, most.count) ? found : most;
  }
  return most;
}

uint64_t rankCount(const JobReport& job) {
  return std::max<uint64_t>(countOf(job.ranks) + unrankedOf(job), 1);
}

bool isRunning(const JobReport& job) {
  return std::any_of(job.processes.begin(), job.processes.end(), [](const JobProcess& process) {
    return process.exit == ExitKind::kRunning;
  });
}

bool hasEndedBadly(const JobReport& job) {
  const std::vector<ExitSummary> exits = exitsOf(job);
  return std::any_of(exits.begin(), exits.end(), [](const ExitSummary& exit) { return exit.hasEndedBadly(); });
}

bool mayYetAgree(const Disagreement& disagreement, bool runs) {
  return runs && disagreement.what != Disagreement::What::kOrder;
}

namespace {

bool wasMade(const JobStep& step) {
  return step.timed_ranks > 0 || std::any_of(step.collectives.begin(), step.collectives.end(), [](const auto& amount) {
           return amount.count.sum > 0;
         });
}

} // namespace

std::vector<StepsThatTrain> trainingSteps(const JobReport& job) {
  const uint64_t made = stepsOf(job);
  std::vector<StepsThatTrain> rows;
  auto outside = job.outside_steps.begin();
  uint64_t end = 0;
  for (const JobStep& step : job.steps) {
    for (; outside != job.outside_steps.end() && outside->first_step <= step.first_step; ++outside) {
      rows.push_back({&*outside, 0});
    }
    if (step.first_step < made && step.first_step >= end) {
      end = step.first_step;
      addSaturating(end, step.steps);
      rows.push_back({&step, step.steps});
    }
  }
  for (; outside != job.outside_steps.end(); ++outside) {
    rows.push_back({&*outside, 0});
  }
  return rows;
}

uint64_t stepsOf(const JobReport& job) {
  uint64_t end = 0;
  for (const JobStep& step : job.steps) {
    uint64_t end_of_step = step.first_step;
    addSaturating(end_of_step, step.steps);
    end = step.training_steps || wasMade(step) ? std::max(end, end_of_step) : end;
  }
  return end;
}

const JobStep* unfinishedStep(const JobReport& job) {
  const bool is_open = !job.outside_steps.empty() && job.outside_steps.back().first_step == stepsOf(job) &&
                       job.outside_steps.back().timed_ranks == 0 && wasMade(job.outside_steps.back());
  return is_open && (isRunning(job) || hasEndedBadly(job)) ? &job.outside_steps.back() : nullptr;
}

namespace {

constexpr bool isSaturated(uint64_t sum) {
  return sum == UINT64_MAX;
}

/// Names in the order in which they were first found, each once.
class Names {
 public:
  void addIf(bool found, const std::string& name) {
    if (found && std::find(names_.begin(), names_.end(), name) == names_.end()) {
      names_.push_back(name);
    }
  }

  std::vector<std::string> take() {
    return std::move(names_);
  }

 private:
  std::vector<std::string> names_;
};

void addCalls(const JobReport& job, Names& names) {
  for (const JobModule& module : job.modules) {
    for (const Spread<uint64_t>& calls : module.calls) {
      names.addIf(isSaturated(calls.sum), "a module's calls");
    }
  }
  Amount nccl; // the rows are added up again by function
  for (const JobNcclCall& call : job.nccl ? job.nccl->calls : std::vector<JobNcclCall>()) {
    nccl += {call.calls.count.sum, call.calls.bytes.sum, 0};
    names.addIf(isSaturated(call.calls.failed.sum), "NCCL calls");
  }
  names.addIf(isSaturated(nccl.count) || isSaturated(nccl.bytes), "NCCL calls");
}

void addSteps(const JobReport& job, Names& names) {
  for (const JobStep& step : job.steps) {
    StepAmount sum; // tables show the sum over kinds and groups
    for (const JobStepAmount& amount : step.collectives) {
      addSaturating(sum.count, amount.count.sum);
      addSaturating(sum.bytes, amount.bytes.sum);
      addSaturating(sum.running_ns, amount.running_ns.sum);
      addSaturating(sum.exposed_ns, amount.exposed_ns.sum);
    }
    const std::string of_step = "a step's ";
    names.addIf(isSaturated(sum.count), of_step + field::kCount);
    names.addIf(isSaturated(sum.bytes), of_step + field::kBytes);
    names.addIf(isSaturated(sum.running_ns), of_step + std::string(durationName(DurationKind::kRunning)));
    names.addIf(isSaturated(sum.exposed_ns), of_step + std::string(durationName(DurationKind::kExposed)));
    names.addIf(isSaturated(step.duration_ns.sum), of_step + field::kDurationNs);
  }
}

void addTimes(const std::vector<TimeTotals>& rows, Names& names) {
  for (const TimeTotals& row : rows) {
    for (int i = 0; i < kDurationKindCount; ++i) {
      const auto kind = static_cast<DurationKind>(i);
      const Durations& durations = row.time.of(kind);
      const bool found = isSaturated(durations.count) || isSaturated(durations.sum_ns);
      names.addIf(found, "collectives' " + std::string(durationName(kind)));
    }
    names.addIf(isSaturated(row.time.bytes), "timed bytes");
  }
}

} // namespace

std::vector<std::string> saturatedSums(const JobReport& job) {
  const Amount all = sumOf(amountsOf(job), std::nullopt, std::nullopt);
  Names names;
  names.addIf(isSaturated(all.count), field::kCount);
  names.addIf(isSaturated(all.bytes), field::kBytes);
  addCalls(job, names);
  addSteps(job, names);
  addTimes(job.group_times, names);
  addTimes(job.module_times, names);
  for (const NotSeenSummary& item : job.not_seen) {
    names.addIf(isSaturated(item.entry.count), "not_seen");
  }
  return names.take();
}

std::string saturatedLine(const std::string& source, const std::string& number) {
  return source + ": the sum of " + number + " is more than " + std::to_string(UINT64_MAX) +
         " and is given as this number";
}

} // namespace commtap
