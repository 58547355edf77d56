// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/job/job_agreement.h"
#include "report/job/job_groups.h"
#include "report/job/job_modules.h"
#include "report/job/job_nccl.h"
#include "report/job/job_order.h"
#include "report/job/job_report.h"
#include "report/job/job_rows.h"
#include "report/job/job_steps.h"
#include "report/job/rank_slots.h"

namespace commtap {

/// Makes one job report of the reports of one attempt of one run, which come in one after the other: by rank, the
/// processes of a rank together, those without a rank last. Keeps what the job has in common, not the reports.
class JobMerge {
 public:
  /// `file`: where the report was read.
  void add(const Report& report, const std::string& file);
  /// The job report, without `attempts`, `other_runs`, `source` and `problems`, which are the caller's.
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

  /// A reason, the first detail, and how often in all.
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
  bool has_rank_ = false;              ///< whether one is coming in
  std::optional<int64_t> rank_;        ///< the one that is coming in
  std::map<PhaseKind, Amount> coming_; ///< its totals
};

/// The job report of these reports, of one attempt of one run and in any order; as JobMerge::finish gives it.
JobReport mergedJob(std::vector<const Report*> reports);

} // namespace commtap
