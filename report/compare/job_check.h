// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/budget.h"
#include "report/compare/job_diff.h"
#include "report/job/job_report.h"

namespace commtap {

/// Something that a check found wrong.
struct Finding {
  enum class What : uint8_t {
    kDisagreement, ///< ranks of a group differ
    kMissingRanks, ///< ranks without a report
    kNotSeen,      ///< the reports say that something is missing from them
    kUnreadable,   ///< a file could not be read
    kMore,         ///< more than before, or than the budget
    kLess,         ///< less than before
    kNew,          ///< was not there before, or is in no budget
    kGone,         ///< is there no more
  };

  What what = What::kMore;
  const Disagreement* disagreement = nullptr; ///< of kDisagreement; in the job that was checked
  const NotSeenSummary* not_seen = nullptr;   ///< of kNotSeen; in the job that was checked
  std::string problem;                        ///< of kUnreadable
  std::optional<ChangeBundle> bundle;         ///< of kMore, kLess, kNew and kGone
};
inline constexpr int kFindingKinds = 8;
std::string_view findingName(Finding::What what);

/// One question and what was found; passed if that is nothing.
struct Check {
  enum class What : uint8_t { kReadable, kComplete, kSeen, kAgree, kBaseline, kBudget, kNoOther };

  What what = What::kReadable;
  std::string subject;   ///< of kBaseline "all_gather on mesh_tp", of kBudget the entry's pattern
  uint64_t left_out = 0; ///< findings that are there and not in the list
  std::vector<Finding> findings;
};

/// Whether the job's own reports are sound: all readable, no rank missing, nothing unseen, no disagreement; without
/// what is allowed. `job` has to live as long as the checks.
std::vector<Check> checkJob(const JobReport& job, const std::vector<Allowed>& allowed);

/// One check for each kind and group: the same as in `before`, within the rules.
std::vector<Check> checkBaseline(
    const JobReport& before,
    const JobReport& after,
    const std::vector<Tolerance>& rules,
    const std::vector<Allowed>& allowed);

/// One check for each entry of the budget, and one that there is nothing that no entry fits.
std::vector<Check> checkBudget(const Budget& budget, const JobReport& job);

bool passed(const std::vector<Check>& checks);

} // namespace commtap
