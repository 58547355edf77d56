// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/hang/verdict.h"
#include "report/model/model.h"

namespace commtap {

/// The facts about a process besides its report, from two looks at it.
struct ProcessLook {
  bool has_moved = false;      ///< a number of its report changed
  bool is_here = false;        ///< it runs on this machine: the fields below are known
  bool is_stopped = false;     ///< by a signal or a debugger
  bool is_runnable = false;    ///< its main thread runs, or waits for a processor
  double cpu_share = 0;        ///< of one processor, with all its threads
  bool child_computes = false; ///< a child process of it uses a processor
  std::string text;            ///< its state in words; "" if not known
};

/// The report of a rank, and how its process looks.
struct RankSight {
  const Report* report = nullptr;
  ProcessLook look;

  int64_t rank() const {
    return report->job.rank.value_or(-1);
  }
  bool hasEnded() const {
    return report->job.exit != ExitKind::kRunning;
  }
};

/// A rank of a process group.
struct HangMember {
  int64_t rank = 0;
  const RankSight* sight = nullptr;            ///< null: no report
  const Group* group = nullptr;                ///< null: the rank has no such group
  std::vector<const LastCollective*> calls;    ///< the last collectives, by sequence
  std::vector<const LastCollective*> messages; ///< the last sends and receives, by sequence
  uint64_t completed = 0; ///< the number of the last collective that is known to have completed in the group

  /// Returns how many collectives the rank has issued; of a rank without a report, at least as many.
  uint64_t issued() const {
    return group == nullptr ? completed : group->collectives;
  }
  /// Returns the collective with this number; nullptr if the report does not hold it.
  const LastCollective* call(uint64_t sequence) const;
};

/// A process group, as the reports of its ranks describe it.
struct HangGroup {
  std::string title;
  std::vector<HangMember> members; ///< by rank in the group; those with a report if the ranks are not known
  bool has_ranks = false;          ///< the ranks of the group are known

  RankRanges ranks() const;
  const HangMember* memberOf(int64_t rank) const;
  /// Returns whether all ranks of the group are known to have joined it: a collective completed, or a rank issued its
  /// second one, which it does only after the first has connected it to all others.
  bool haveAllJoined() const;
  /// Returns whether all ranks of the group have a report that knows it.
  bool hasAllReports() const;
};

/// Returns the global rank at a place in the group, such as a root's; nullopt if it is not known.
std::optional<int64_t> globalRank(const HangGroup& group, const std::optional<int64_t>& place);

/// The process groups of a job, found by name and ranks.
class HangGroups {
 public:
  /// `sights` has one process per rank, and outlives the object.
  explicit HangGroups(std::span<const RankSight> sights);

  const std::vector<HangGroup>& all() const {
    return groups_;
  }
  /// Returns nullptr for a rank without a report.
  const RankSight* sightOf(int64_t rank) const;
  /// Returns the group of a call in a report.
  const HangGroup* groupOf(const Report& report, const std::string& name) const;

 private:
  using ReportGroup = std::pair<const Report*, std::string>;

  void findGroups(std::span<const RankSight> sights);
  void addMembers(const RankSight& sight);

  std::vector<HangGroup> groups_;
  std::map<int64_t, const RankSight*> by_rank_;
  std::map<ReportGroup, size_t> by_name_;
};

/// Returns the call that has been open longest; nullptr if there is none.
const EnteredCall* openCallOf(const Report& report);
/// Returns whether an open call of this name makes a process group; else it is NCCL's.
bool makesGroup(std::string_view function);

/// Returns the call as rank `rank` made it.
HangCall hangCallOf(const HangGroup& group, int64_t rank, const LastCollective& call);

/// Returns the processes of the newest run and its last attempt, one per rank: that with the most collectives. Those
/// without a rank are left out.
std::vector<const Report*> oneProcessPerRank(std::span<const Report* const> reports);

/// Returns what oneProcessPerRank() returns, without a look at the processes.
std::vector<RankSight> sightsOf(std::span<const Report* const> reports);

/// Returns the reports of each attempt of each run.
std::vector<std::vector<const Report*>> attemptsOf(std::span<const Report* const> reports);

} // namespace commtap
