// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/compare/compared_steps.h"
#include "report/compare/tolerance.h"
#include "report/job/job_report.h"

namespace commtap {

/// The amount of one cell or total per rank of a run, or per rank and training step: the mean over the ranks that have
/// it. Runs with different world sizes or missing ranks stay comparable.
struct PerRank {
  uint64_t ranks = 0; ///< how many ranks have the amount
  double count = 0;   ///< calls
  double bytes = 0;
  RankRanges on = {}; ///< the ranks that have the cell, without processes that have no rank; empty for a total
  /// Over ranks and steps. The means are quotients of these, so equal ones are exactly equal.
  uint64_t count_sum = 0;
  uint64_t bytes_sum = 0;
  uint64_t of = 0;        ///< the ranks of the job; 0 for a total
  bool is_uneven = false; ///< the ranks that have the cell made other numbers of calls: the mean is no rank's number
};

/// A mean is a quotient: equal means of other sums can differ in the last digit, by this part of them.
inline constexpr double kMeanRounding = 1e-9;
bool isNear(double a, double b);

using Cells = std::map<CellKey, PerRank>;
/// Returns the cells of a job, each the sum of all labels and with set-up.
Cells cellsOf(const JobReport& job);

/// Returns the cells of a job by set-up, each the sum of all labels. Those that are not set-up are divided by `steps`.
Cells cellsBySetup(const JobReport& job, uint64_t steps);

/// Leaves out of a cell per step what the result of unfinishedStep() can have of it, down to what `other` has.
void leaveOut(const JobStep& unfinished, const CellKey& key, const PerRank& other, PerRank& cell);

/// Returns the cells of two jobs by label and set-up, with the calls that a compiler merged as those of the members.
/// Those that are not set-up are per step if `steps` are.
std::pair<Cells, Cells> comparableCells(const JobReport& before, const JobReport& after, ComparedSteps steps = {});

/// Returns the totals of `modules` over all phases, kinds and groups, per rank that has any of them. Only the module,
/// the label and the set-up of each key are set. `steps`: those that the cells are divided by; 0 for none.
Cells totalsByModule(const Cells& cells, const std::set<std::string>& modules, uint64_t steps = 0);

/// Returns the sum of the cells that `is_part` selects, divided by the job's number of ranks and by `steps`, if any.
PerRank totalOf(const Cells& cells, const JobReport& job, uint64_t steps, bool (*is_part)(const CellKey&));

/// Returns the totals of the cells that are not set-up by what `nameOf` returns, divided as those of totalOf().
std::map<std::string, PerRank>
totalsBy(const Cells& cells, const JobReport& job, uint64_t steps, std::string (*nameOf)(const CellKey&));
std::map<std::string, PerRank> totalsByGroup(const Cells& cells, const JobReport& job, uint64_t steps);

/// Return the totals per group, kind or phase, as the sum over ranks divided by the job's number of ranks.
std::map<std::string, PerRank> perRankByGroup(const JobReport& job);
std::map<std::string, PerRank> perRankByKind(const JobReport& job);
std::map<std::string, PerRank> perRankByPhase(const JobReport& job);

/// An amount that differs between two runs. An amount that is missing in a run has 0 ranks there.
struct Change {
  PerRank before;
  PerRank after;
  RankRanges gained = {}; ///< compared ranks that have the amount only after; empty for an amount that is new or gone
  RankRanges lost = {};   ///< compared ranks that have it only before

  bool hasOtherRanks() const {
    return !gained.empty() || !lost.empty();
  }

  double countDelta() const {
    return after.count - before.count;
  }
  double bytesDelta() const {
    return after.bytes - before.bytes;
  }
  bool grew() const { ///< compares bytes, then calls, then ranks
    return bytesDelta() != 0 ? bytesDelta() > 0 : countDelta() != 0 ? countDelta() > 0 : !gained.empty();
  }
  /// Returns whether no rank has the amount that did not have it, and each has no more calls and bytes on average.
  bool isLess() const {
    return bytesDelta() <= 0 && countDelta() <= 0 && gained.empty();
  }
};

struct CellChange {
  CellKey key;
  Change change;
};

/// Returns the ranks that have a report in both jobs: which of them have a cell is compared. Returns nullopt for jobs
/// of different world sizes, whose ranks have other parts in the job.
std::optional<RankRanges> comparedRanks(const JobReport& before, const JobReport& after);

/// Returns the cells that differ by more than `rules` tolerate, in calls or bytes per rank or in which of the ranks
/// `compared` have them: the largest growth first, then the largest decrease. If the cells are per step, a rule's plain
/// number is divided by the steps of the longer run: it is a number of calls or bytes per run.
std::vector<CellChange> changesBetween(
    const Cells& before,
    const Cells& after,
    const std::optional<RankRanges>& compared,
    const std::vector<Tolerance>& rules,
    ComparedSteps steps = {});

/// Returns the number of steps if both runs made equally many; otherwise, or without steps, 1.
uint64_t stepsOfBoth(const JobReport& before, const JobReport& after);

/// Returns one line per reason why the runs are hard to compare: rows that only one has merged, other world sizes,
/// missing ranks, other numbers of module calls: per step, if `steps` are.
std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after, ComparedSteps steps = {});

} // namespace commtap
