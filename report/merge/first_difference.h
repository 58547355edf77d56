// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace commtap {

/// Finds the first collective of a process group that its ranks made differently. Compares number by number, each rank
/// with the first one that made the number, as far back as reports go.
///
/// A Call has a `sequence`. `IsSame` compares two calls with one number.
template <typename Call, typename IsSame>
class FirstDifference {
 public:
  using Calls = std::vector<Call>; ///< by sequence

  /// Ranks that made the same call.
  struct Side {
    std::vector<int64_t> ranks;
    Call call; ///< of the first of them
  };

  /// The calls that a rank has issued: numbers `first` to `last`.
  struct Rank {
    int64_t rank = 0;
    uint64_t first = 0;
    uint64_t last = 0;
  };

  explicit FirstDifference(IsSame is_same = {}) : is_same_(std::move(is_same)) {}

  /// Adds the calls of a rank. A rank without calls differs from none, and is not kept.
  void add(int64_t rank, const Calls& calls) {
    if (calls.empty()) {
      return;
    }
    ranks_.push_back({rank, calls.front().sequence, calls.back().sequence});
    Calls unknown;
    auto known = known_.begin();
    for (const Call& call : calls) {
      while (known != known_.end() && known->sequence < call.sequence) {
        ++known;
      }
      if (known == known_.end() || known->sequence != call.sequence) {
        unknown.push_back(call);
      } else if (!is_same_(*known, call)) {
        deviants_.push_back({rank, call, *known});
        return;
      }
    }
    addKnown(unknown);
  }

  /// Returns the sides at the first number that ranks made differently, that of most ranks first; none if there is no
  /// such number.
  std::vector<Side> sides() const {
    const auto first = std::min_element(deviants_.begin(), deviants_.end(), [](const Deviant& a, const Deviant& b) {
      return a.call.sequence < b.call.sequence;
    });
    if (first == deviants_.end()) {
      return {};
    }
    const uint64_t sequence = first->call.sequence;
    std::vector<Side> sides(1, Side{{}, first->known});
    auto deviant = deviants_.begin();
    for (const Rank& rank : ranks_) {
      if (deviant != deviants_.end() && deviant->rank == rank.rank && deviant->call.sequence == sequence) {
        sideOf(deviant->call, sides).ranks.push_back(rank.rank);
      } else if (rank.first <= sequence && sequence <= rank.last) {
        sides.front().ranks.push_back(rank.rank);
      }
      deviant += deviant != deviants_.end() && deviant->rank == rank.rank ? 1 : 0;
    }
    std::stable_sort(
        sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.ranks.size() > b.ranks.size(); });
    return sides;
  }

  bool areEqual() const {
    return deviants_.empty();
  }
  /// Returns the ranks that have calls, in the order in which they were added.
  const std::vector<Rank>& ranks() const {
    return ranks_;
  }
  /// Returns the calls of all ranks, each number once, as the first rank made it.
  const Calls& known() const {
    return known_;
  }
  /// Frees the calls that each rank has issued, once all ranks are added.
  void dropCommonPart() {
    const auto least =
        std::min_element(ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) { return a.last < b.last; });
    const auto isBeyond = [&](const Call& call) { return call.sequence > least->last; };
    known_ = Calls(std::find_if(known_.begin(), known_.end(), isBeyond), known_.end());
  }

 private:
  struct Deviant {
    int64_t rank;
    Call call; ///< at the first number that differs
    Call known;
  };

  void addKnown(const Calls& unknown) {
    if (unknown.empty()) {
      return;
    }
    Calls all;
    all.reserve(known_.size() + unknown.size());
    std::merge(
        known_.begin(),
        known_.end(),
        unknown.begin(),
        unknown.end(),
        std::back_inserter(all),
        [](const Call& a, const Call& b) { return a.sequence < b.sequence; });
    known_ = std::move(all);
  }

  Side& sideOf(const Call& call, std::vector<Side>& sides) const {
    const auto found =
        std::find_if(sides.begin(), sides.end(), [&](const Side& side) { return is_same_(side.call, call); });
    return found == sides.end() ? sides.emplace_back(Side{{}, call}) : *found;
  }

  IsSame is_same_;
  Calls known_;
  std::vector<Rank> ranks_;
  std::vector<Deviant> deviants_; ///< in the order of `ranks_`
};

} // namespace commtap
