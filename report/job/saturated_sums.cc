// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/saturated_sums.h"

#include <algorithm>
#include <cstdint>

#include "report/json/fields.h"
#include "report/model/saturating.h"

namespace commtap {
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
