// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "report/model/model.h"

namespace commtap {

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
