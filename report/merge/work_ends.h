// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/model.h"

namespace commtap {

/// Finds processes of this host that were killed after the work of the whole run had ended, or ended by Ray: all ranks
/// had completed the same calls, none had one under way, and the run's command has ended with status 0.
class WorkEnds {
 public:
  /// Adds a report of the run and the path of its file.
  void add(const Report& report, const std::string& path);

  /// Makes these processes kAfterWork in `job`, merged from the same reports, and in the files of their reports. For a
  /// run whose command has ended with status 0.
  void note(JobReport& job) const;

 private:
  std::vector<std::pair<Job, std::string>> ended_; ///< and the path of the report
  bool is_under_way_ = false;
};

} // namespace commtap
