// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/advice/advice.h"
#include "tests/unit/job_samples.h"

namespace commtap {

/// A job of ranks on one host that made kSteps steps, whose rows a test adds.
class AdvisedJob {
 public:
  static constexpr uint64_t kSteps = 4;

  explicit AdvisedJob(int64_t ranks = 1) : reports_(sampleReports(ranks)) {
    for (Report& report : reports_) {
      report.collectives.clear();
      report.members.clear();
      report.last.clear();
      report.steps.clear();
      for (uint64_t i = 0; i < kSteps; ++i) {
        Step step;
        step.first_step = i;
        step.collectives = {{Kind::kAllReduce, report.groups[0].name, 1, 8, 0, 0}};
        report.steps.push_back(step);
      }
    }
  }

  /// Adds a row to a rank, with numbers per step.
  Collective& add(const char* module, Phase phase, Kind kind, uint64_t count, uint64_t bytes, size_t rank = 0) {
    Collective row;
    row.module = row.issued_in = module;
    row.phase = phase;
    row.kind = kind;
    row.op = std::string("c10d.") + std::string(kindName(kind));
    row.group = reports_[rank].groups[0].name;
    row.dtype = "float32";
    row.count = kSteps * count;
    row.bytes = kSteps * bytes;
    for (Step& step : reports_[rank].steps) {
      step.collectives.push_back({kind, row.group, count, bytes, 0, 0});
    }
    reports_[rank].collectives.push_back(row);
    return reports_[rank].collectives.back();
  }
  /// Lets a class of torch wrap a module on all ranks.
  void wrap(const char* module, const char* wrapper) {
    for (Report& report : reports_) {
      for (Module& each : report.modules) {
        if (each.name == module) {
          each.wrappers.insert(each.wrappers.begin(), wrapper);
        }
      }
    }
  }
  Report& report(size_t rank = 0) {
    return reports_[rank];
  }
  const JobReport& job() {
    job_ = jobOf(reports_);
    return job_;
  }
  /// Returns the names of the rules that hold.
  std::set<std::string> rules() {
    advice_ = adviceFor(job());
    std::set<std::string> names;
    for (const Advice& advice : advice_) {
      names.insert(std::string(advice.rule->name));
    }
    return names;
  }
  /// Returns what rules() found.
  const std::vector<Advice>& advice() const {
    return advice_;
  }

 private:
  std::vector<Report> reports_;
  JobReport job_;
  std::vector<Advice> advice_;
};

using Rules = std::set<std::string>;
inline constexpr const char* kLayer = "DistributedDataParallel.net1";
inline constexpr const char* kNextLayer = "DistributedDataParallel.net2";
inline constexpr uint64_t kMiB = 1U << 20U;

} // namespace commtap
