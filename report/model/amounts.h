// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/model/model.h"

namespace commtap {

struct Amount {
  uint64_t count = 0;
  uint64_t bytes = 0;
  double bus_bytes = 0;

  Amount& operator+=(const Amount& other);
  bool operator==(const Amount&) const = default;
};

struct PhaseKind {
  Phase phase = Phase::kOther;
  Kind kind = Kind::kOther;

  auto operator<=>(const PhaseKind&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

using Amounts = std::map<PhaseKind, Amount>;

/// Returns the sum of a phase and kind; nullopt means all.
Amount sumOf(const Amounts& amounts, std::optional<Phase> phase, std::optional<Kind> kind);

/// Returns the sum over all kinds and groups of the step, without a kind and a group.
StepAmount sumOf(const Step& step);

/// The number of a process's first step in a row of steps, and how many they are; 0 for a row outside of the training
/// steps, which has the number of the next one.
using StepPlace = std::pair<uint64_t, uint64_t>;

/// Returns the place of each row: in a process that trains, only training steps have numbers, so that ranks have the
/// same ones for them whatever else they do.
std::vector<StepPlace> placesOf(std::span<const Step> steps);

/// Returns the number of steps of a process, as stepsOf() of report/job/job_report.h counts those of a job.
uint64_t stepsOf(const Report& report);

/// Returns the number of steps that the process has ended, or in which an optimizer has stepped; nullopt if it has
/// counted none.
std::optional<uint64_t> endedSteps(const Report& report);

/// Whether the group has a description; PyTorch's word for none is "undefined".
bool isDescribed(const Group& group);
/// Returns the description; the group's name if it has none.
const std::string& groupTitle(const Group& group);

/// Identifies a group on all of its ranks: its name in a report depends on the other groups that the process made.
struct GroupIdentity {
  std::string title; ///< groupTitle(); PyTorch's own name for the second group of one name
  uint32_t nth = 1;  ///< the process's n-th group with this title and these ranks: a job may make its groups again
};
/// Returns the identities of a report's groups, in their order.
std::vector<GroupIdentity> identitiesOf(const std::vector<Group>& groups);
/// Returns nullptr if the report has no group of this name.
const Group* groupNamed(const Report& report, const std::string& name);
/// Returns the title of the group with this name; the name itself if the report has no such group.
const std::string& groupTitle(const Report& report, const std::string& name);
const std::string& groupTitle(const Report& report, std::string&& name) = delete;

/// Returns true if no rank can complete the collective before every rank has joined it.
bool leavesTogether(Kind kind);

/// The rank that the other ranks of its group wait for.
struct Straggler {
  int64_t rank = 0;
  double late_by_ns = 0; ///< mean delay behind the first rank
};

/// The exposed time of collectives that ranks leave together, in two parts. On the rank that comes last a collective
/// runs for as long as the network needs, or longer. So what it runs longer on another rank is a wait for later ranks.
struct ExposedCauses {
  uint64_t late_peer_ns = 0; ///< the least that is a wait for ranks that came later
  uint64_t network_ns = 0;   ///< the rest: the most that the network needed, with the time in the backend's queue
};

/// Durations, summed over all ranks, of the collectives of one kind in one group; if `module` is set, of one module,
/// label and set-up.
struct TimeTotals {
  std::string module; ///< "" for all modules
  std::string label;  ///< "" for none, and for all modules
  bool setup = false; ///< false for all modules
  Kind kind = Kind::kOther;
  std::string group; ///< groupTitle
  std::string backend;
  uint32_t group_size = 0; ///< 0 if unknown
  uint64_t count = 0;      ///< timed or not
  CollectiveTime time;
  /// Set only for kinds that no rank completes before all have joined. The straggler joins last, so its collectives run
  /// shortest.
  std::optional<Straggler> straggler;
  /// Set only by kind and group, for kinds that no rank completes before all have joined, if each call is timed, as
  /// many on each rank of a group. Adds up to the exposed time.
  std::optional<ExposedCauses> causes;
};

enum class TimesBy : bool { kGroup, kModule };

/// Sums durations while reports are added rank by rank. Keeps only the first and the last rank of each group.
class TimeSums {
 public:
  /// Counts only `phase`; all phases if it is nullopt.
  explicit TimeSums(TimesBy by, std::optional<Phase> phase = std::nullopt) : by_(by), phase_(phase) {}

  void add(const Report& report);
  /// Call after the last process of a rank has been added. `rank` is nullopt for a process without a rank.
  void endRank(std::optional<int64_t> rank);
  /// Returns the rows with durations, sorted by descending exposed time.
  std::vector<TimeTotals> take();

 private:
  /// The collectives of one rank in a process group.
  struct RankTimes {
    uint64_t calls = 0;
    uint64_t count = 0; ///< running times
    uint64_t running_ns = 0;
    uint64_t exposed_ns = 0;
  };
  /// Running times of collectives on the ranks of one process group.
  struct Arrivals {
    RankTimes coming;             ///< of the rank being merged
    std::vector<RankTimes> all{}; ///< of the ranks that were merged; empty by module, which would be too many
    uint64_t ranks = 0;
    int64_t last_rank = 0;
    double shortest_ns = 0; ///< mean of `last_rank`
    double longest_ns = 0;
  };
  /// The global ranks of a process group. Several groups can share a title such as "dp"; each has its own straggler.
  using Members = std::vector<uint32_t>;
  struct Sum {
    TimeTotals totals;
    std::map<Members, Arrivals> groups;
  };
  using Key = std::tuple<std::string, std::string, bool, Kind, std::string, std::string, uint32_t>;

  Sum& sumOf(const Collective& row, const Group* group);
  static std::optional<Straggler> stragglerOf(const Sum& sum);
  static std::optional<ExposedCauses> causesOf(const Sum& sum);

  TimesBy by_;
  std::optional<Phase> phase_;
  std::map<Key, Sum> sums_;
  std::set<Arrivals*> coming_;
};

} // namespace commtap
