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

/// The rank that others of its group wait for.
struct Straggler {
  int64_t rank = 0;
  double late_by_ns = 0; ///< behind the rank that comes first, on average
};

/// How long the collectives of one kind in one group, or of one module there, took on all ranks together.
struct TimeTotals {
  std::string module; ///< "" for all
  Kind kind = Kind::kOther;
  std::string group; ///< groupTitle
  std::string backend;
  uint32_t group_size = 0; ///< 0 if it is not known
  uint64_t count = 0;      ///< all, timed or not
  CollectiveTime time;
  /// Of the kinds that no rank leaves before all have come. A collective runs shortest on the rank that comes last.
  std::optional<Straggler> straggler;
};

enum class TimesBy : bool { kGroup, kModule };

/// Adds up durations while ranks come in one after the other; keeps of a rank only whether it is the first or the last.
class TimeSums {
 public:
  /// `phase`: that one alone.
  explicit TimeSums(TimesBy by, std::optional<Phase> phase = std::nullopt) : by_(by), phase_(phase) {}

  void add(const Report& report);
  /// All processes of a rank have come in; nullopt for a process without a rank.
  void endRank(std::optional<int64_t> rank);
  /// Those that are timed, the ones that were waited for longest first.
  std::vector<TimeTotals> take();

 private:
  /// How long collectives ran on the ranks of one process group.
  struct Arrivals {
    uint64_t coming_count = 0; ///< of the rank that is coming in
    uint64_t coming_ns = 0;
    uint64_t ranks = 0;
    int64_t last_rank = 0;
    double shortest_ns = 0; ///< of `last_rank`, on average
    double longest_ns = 0;
  };
  using Members = std::vector<uint32_t>; ///< "dp" are several groups, each of which waits for itself alone
  struct Sum {
    TimeTotals totals;
    std::map<Members, Arrivals> groups;
  };
  using Key = std::tuple<std::string, Kind, std::string, std::string, uint32_t>;

  Sum& sumOf(const Collective& row, const Group* group);
  static std::optional<Straggler> stragglerOf(const Sum& sum);

  TimesBy by_;
  std::optional<Phase> phase_;
  std::map<Key, Sum> sums_;
  std::set<Arrivals*> coming_;
};

} // namespace commtap
