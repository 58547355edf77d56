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

#include "report/compare/tolerance.h"
#include "report/job/job_report.h"

namespace commtap {

/// The amount of one cell or total per rank of a run: the mean over the ranks that have it. Runs with different world
/// sizes or missing ranks stay comparable.
struct PerRank {
  uint64_t ranks = 0; ///< how many ranks have the amount
  double count = 0;   ///< calls
  double bytes = 0;
  RankRanges on = {}; ///< the ranks that have the cell, without processes that have no rank; empty for a total
};

using Cells = std::map<CellKey, PerRank>;
/// Returns the cells of a job, each the sum of all labels and with set-up.
Cells cellsOf(const JobReport& job);

/// Returns the cells of two jobs by label and set-up, with the calls that a compiler merged as those of the members.
std::pair<Cells, Cells> comparableCells(const JobReport& before, const JobReport& after);

/// Returns the totals of `modules` over all phases, kinds and groups, per rank that has any of them. Only the module,
/// the label and the set-up of each key are set.
Cells totalsByModule(const Cells& cells, const std::set<std::string>& modules);

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
/// `compared` have them: the largest growth first, then the largest decrease.
std::vector<CellChange> changesBetween(
    const Cells& before,
    const Cells& after,
    const std::optional<RankRanges>& compared,
    const std::vector<Tolerance>& rules);

/// Returns the number of training steps if both runs made equally many; otherwise, or without steps, 1.
uint64_t stepsOfBoth(const JobReport& before, const JobReport& after);

/// Returns one line per reason why the runs are hard to compare: rows that only one has merged, other world sizes,
/// missing ranks, other numbers of module calls.
std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after);

} // namespace commtap
