// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/budget.h"
#include "report/compare/change_bundle.h"
#include "report/compare/job_comparison.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// One problem that a check found.
struct Finding {
  enum class What : uint8_t {
    kDisagreement, ///< the ranks of a group differ
    kMissingRanks, ///< ranks without a report
    kKilled,       ///< processes that were killed, or that a signal ended
    kNotSeen,      ///< the reports list something as missing in `not_seen`
    kUnreadable,   ///< a file could not be read
    kMore,         ///< more than in the baseline, or than the budget allows
    kLess,         ///< less than in the baseline
    kNew,          ///< not in the baseline, or not in the budget
    kGone,         ///< in the baseline, no longer in this run
    kUnmatched,    ///< a pattern of the budget that names nothing in this run
    kFailed,       ///< processes that exited with another status than 0
    kTraining,     ///< replicas that went apart, or samples that are missing
    kUneven,       ///< split sizes that are more uneven than the budget allows
    kExposed,      ///< more of a step in which the job stands still than the budget allows
  };

  What what = What::kMore;
  const Disagreement* disagreement = nullptr; ///< set for kDisagreement; owned by the checked job
  const NotSeenSummary* not_seen = nullptr;   ///< set for kNotSeen; owned by the checked job
  std::optional<ExitSummary> exit;            ///< set for kKilled and kFailed
  std::string problem;                        ///< set for kUnreadable, kUnmatched, kTraining, kUneven and kExposed
  std::optional<ChangeBundle> bundle;         ///< set for kMore, kLess, kNew and kGone
};
inline constexpr int kFindingKinds = 14;
std::string_view findingName(Finding::What what);

/// One question and its findings. The check passes if there are no findings.
struct Check {
  enum class What : uint8_t {
    kReadable,
    kComplete,
    kEnded,
    kSeen,
    kAgree,
    kBaseline,
    kBudget,
    kNoOther,
    kSucceeded,
    kTraining,
    kPlan,
  };

  What what = What::kReadable;
  std::string subject;   ///< kBaseline and kPlan: "all_gather on mesh_tp"; kBudget: the entry's pattern
  uint64_t left_out = 0; ///< number of findings that are not in the list
  std::vector<Finding> findings;
};

/// Checks that the job's reports are sound: all readable, no rank missing, no process killed or failed, nothing unseen,
/// no disagreement. Skips the kinds of finding in `allowed`. `job` must outlive the checks.
std::vector<Check> checkJob(const JobReport& job, const std::vector<Allowed>& allowed);

/// Returns one check per kind and group: the same numbers as in `before`, within the rules that `comparison` was made
/// with. They are of kind kPlan if `before` is a plan.
std::vector<Check> checkBaseline(
    const JobReport& before,
    const JobReport& after,
    const JobComparison& comparison,
    const std::vector<Allowed>& allowed);

/// Returns one check per budget entry, and a last check that every cell has an entry.
std::vector<Check> checkBudget(const Budget& budget, const JobReport& job);

bool passed(const std::vector<Check>& checks);

} // namespace commtap
