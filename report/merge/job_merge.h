// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "report/merge/job_agreement.h"
#include "report/merge/job_nccl.h"
#include "report/merge/job_order.h"
#include "report/merge/job_rows.h"
#include "report/merge/rank_slots.h"
#include "report/model/model.h"

namespace commtap {

/// Merges the reports of one attempt of one run into a job report. Reports must be added by rank, the processes of a
/// rank together, those without a rank last. Keeps sums, not the reports.
class JobMerge {
 public:
  /// Adds a report. `file`: the path it was read from.
  void add(const Report& report, const std::string& file);
  /// Returns the job report. The caller sets `attempts`, `other_runs`, `source`, `problems` and `copies`.
  JobReport finish();

 private:
  class GroupPlaces;

  void addCollectives(const Report& report, GroupPlaces& places, JobProcess& process);
  void addSteps(const Report& report, GroupPlaces& places);
  void addLast(const Report& report, GroupPlaces& places);
  void addNccl(const Report& report, GroupPlaces& places);
  void findDisagreements(JobReport& job) const;
  void addNotSeen(const Report& report);
  void endRank();
  void addFacts(const Job& job);
  void describeRanks(JobReport& job) const;
  void sortGroups(JobReport& job) const;

  /// A reason, its first detail, and the count of all processes.
  struct NotSeenSum {
    NotSeenEntry entry;
    std::vector<int64_t> ranks;
  };

  JobReport job_;
  JobGroups groups_;
  JobRows rows_;
  JobModules modules_;
  JobSteps steps_;
  TimeSums group_times_{TimesBy::kGroup};
  TimeSums module_times_{TimesBy::kModule};
  JobAgreement agreement_;
  JobOrder order_;
  JobNcclSums nccl_;
  RankSets sets_;
  std::map<PhaseKind, RankedAmount> totals_;
  std::vector<NotSeenSum> not_seen_;
  std::vector<int64_t> ranks_;
  bool has_rank_ = false;              ///< whether a rank is being merged
  std::optional<int64_t> rank_;        ///< the rank being merged
  std::map<PhaseKind, Amount> coming_; ///< totals of the rank being merged
};

/// Returns the job report that JobMerge makes of `reports`, which are of one attempt of one run. They may be in any
/// order.
JobReport mergedJob(std::vector<const Report*> reports);

/// Returns lastEventNs(), or the end of a process that ended by itself. A killed process was not active at its end.
uint64_t lastActivityNs(const Report& report);

} // namespace commtap
