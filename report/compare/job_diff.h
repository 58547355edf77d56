// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/compare/tolerance.h"
#include "report/job/job_report.h"

namespace commtap {

/// What one rank has of something in one run: the mean of the ranks that have it, so that runs of other world sizes,
/// or of which some ranks are missing, can be compared.
struct PerRank {
  uint64_t ranks = 0; ///< how many have it
  double count = 0;   ///< calls
  double bytes = 0;
};

using Cells = std::map<CellKey, PerRank>;
Cells cellsOf(const JobReport& job);

/// Everything on one group or of one kind, by a rank of the job: the sum over ranks by the number of ranks.
std::map<std::string, PerRank> perRankByGroup(const JobReport& job);
std::map<std::string, PerRank> perRankByKind(const JobReport& job);

/// A number that differs. What is not there has 0 ranks.
struct Change {
  PerRank before;
  PerRank after;

  double countDelta() const {
    return after.count - before.count;
  }
  double bytesDelta() const {
    return after.bytes - before.bytes;
  }
  bool grew() const { ///< in bytes; in calls where bytes are the same
    return bytesDelta() != 0 ? bytesDelta() > 0 : countDelta() > 0;
  }
};

struct CellChange {
  CellKey key;
  Change change;
};

/// The cells that differ by more than is tolerated: what grew the most first, then what shrank the most.
std::vector<CellChange> changesBetween(const Cells& before, const Cells& after, const std::vector<Tolerance>& rules);

/// Cells of modules that differ in their numbers alone ("layers.0.attention", "layers.1.attention") and have changed
/// in the same way.
struct ChangeBundle {
  std::string pattern;              ///< the module's name, `*` for the numbers that differ
  std::vector<std::string> modules; ///< in their order
  CellKey first;
  Change change;      ///< of each of them
  uint64_t steps = 1; ///< that both runs made
};

/// The training steps that both runs made; 1 if they made different numbers of them, or none.
uint64_t stepsOfBoth(const JobReport& before, const JobReport& after);

/// In the order of their first. `steps`: stepsOfBoth.
std::vector<ChangeBundle> bundle(const std::vector<CellChange>& changes, uint64_t steps = 1);

/// What makes two runs hard to compare, a line each: another world size, another number of calls of the same model.
std::vector<std::string> comparisonNotes(const JobReport& before, const JobReport& after);

} // namespace commtap
