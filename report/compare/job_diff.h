// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
};

using Cells = std::map<CellKey, PerRank>;
/// Returns the cells of a job, each the sum of all labels and with set-up.
Cells cellsOf(const JobReport& job);

/// Returns the cells of two jobs by label and set-up, with the calls that a compiler merged as those of the members.
std::pair<Cells, Cells> comparableCells(const JobReport& before, const JobReport& after);

/// Return the totals per group, kind or phase, as the sum over ranks divided by the job's number of ranks.
std::map<std::string, PerRank> perRankByGroup(const JobReport& job);
std::map<std::string, PerRank> perRankByKind(const JobReport& job);
std::map<std::string, PerRank> perRankByPhase(const JobReport& job);

/// An amount that differs between two runs. An amount that is missing in a run has 0 ranks there.
struct Change {
  PerRank before;
  PerRank after;

  double countDelta() const {
    return after.count - before.count;
  }
  double bytesDelta() const {
    return after.bytes - before.bytes;
  }
  bool grew() const { ///< compares bytes; compares calls if the bytes are equal
    return bytesDelta() != 0 ? bytesDelta() > 0 : countDelta() > 0;
  }
};

struct CellChange {
  CellKey key;
  Change change;
};

/// Returns the cells that differ by more than `rules` tolerate: the largest growth first, then the largest decrease.
std::vector<CellChange> changesBetween(const Cells& before, const Cells& after, const std::vector<Tolerance>& rules);

/// Equal changes of modules whose names differ only in numbers ("layers.0.attention", "layers.1.attention").
struct ChangeBundle {
  std::string pattern;              ///< the module names, with `*` for the numbers that differ
  std::vector<std::string> modules; ///< in the order of the changes
  CellKey first;
  Change change;      ///< the change of each module
  uint64_t steps = 1; ///< training steps that both runs made
};

/// Returns the number of training steps if both runs made equally many; otherwise, or without steps, 1.
uint64_t stepsOfBoth(const JobReport& before, const JobReport& after);

/// Bundles equal changes; the order is that of each bundle's first change. `steps` is the result of stepsOfBoth().
std::vector<ChangeBundle> bundle(const std::vector<CellChange>& changes, uint64_t steps = 1);

/// Returns one line per reason why the runs are hard to compare: rows that only one has merged, other world sizes,
/// other numbers of module calls.
std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after);

} // namespace commtap
