// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/nccl.h"
#include "report/model/saturating.h"

namespace commtap {

/// Position of a rank in merge order. A process without a rank has a slot of its own.
using RankSlot = uint32_t;

/// A set of slots, stored as runs: the ranks of a mesh dimension are mostly neighbours.
class SlotSet {
 public:
  /// Adds a slot. Slots must be added in ascending order.
  void add(RankSlot slot) {
    if (!runs_.empty() && runs_.back().second + 1 == slot) {
      runs_.back().second = slot;
    } else if (runs_.empty() || runs_.back().second != slot) {
      runs_.emplace_back(slot, slot);
    }
  }

  const std::vector<std::pair<RankSlot, RankSlot>>& runs() const {
    return runs_;
  }

 private:
  std::vector<std::pair<RankSlot, RankSlot>> runs_; ///< first and last
};

/// Maps slots to ranks and numbers the distinct sets of ranks.
class RankSets {
 public:
  RankSlot addSlot(std::optional<int64_t> rank) {
    ranks_.push_back(rank);
    return static_cast<RankSlot>(ranks_.size() - 1);
  }

  /// Returns the index of the set in sets(). Adds a new set.
  size_t idOf(const SlotSet& slots) {
    const auto [entry, is_new] = ids_.emplace(slots.runs(), sets_.size());
    if (is_new) {
      sets_.push_back(rangesOf(slots));
    }
    return entry->second;
  }
  const std::vector<RankRanges>& sets() const {
    return sets_;
  }

 private:
  RankRanges rangesOf(const SlotSet& slots) const {
    std::vector<int64_t> ranks;
    for (const auto& [first, last] : slots.runs()) {
      for (RankSlot slot = first; slot <= last; ++slot) {
        if (ranks_[slot]) {
          ranks.push_back(*ranks_[slot]);
        }
      }
    }
    return rankRanges(std::move(ranks));
  }

  std::vector<std::optional<int64_t>> ranks_; ///< by slot
  std::map<std::vector<std::pair<RankSlot, RankSlot>>, size_t> ids_;
  std::vector<RankRanges> sets_;
};

/// Adds one rank's number to a spread. `is_first`: no rank was added before.
template <typename T>
void addToSpread(Spread<T>& spread, T number, std::optional<int64_t> rank, bool is_first) {
  addSaturating(spread.sum, number);
  if (is_first || number < spread.min) {
    spread.min = number;
    spread.min_rank = rank;
  }
  if (is_first || number > spread.max) {
    spread.max = number;
    spread.max_rank = rank;
  }
}

inline void addToSpreads(RankedAmount& amount, const Amount& rank_amount, std::optional<int64_t> rank) {
  const bool is_first = amount.ranks++ == 0;
  addToSpread(amount.count, rank_amount.count, rank, is_first);
  addToSpread(amount.bytes, rank_amount.bytes, rank, is_first);
  addToSpread(amount.bus_bytes, rank_amount.bus_bytes, rank, is_first);
}

inline void addToSpreads(RankedNcclCalls& calls, const NcclAmount& rank_amount, std::optional<int64_t> rank) {
  const bool is_first = calls.ranks++ == 0;
  addToSpread(calls.count, rank_amount.count, rank, is_first);
  addToSpread(calls.failed, rank_amount.failed, rank, is_first);
  addToSpread(calls.bytes, rank_amount.bytes, rank, is_first);
}

/// The rows of a job table. Ranks are added one after the other. `Coming` is one rank's amount of a row and has +=.
/// `Sum` is the amount of all ranks; addToSpreads() adds a `Coming` to it.
template <typename Key, typename KeyHash, typename Coming, typename Sum>
class RankRows {
 public:
  struct Row {
    Sum sum;
    SlotSet slots;
    Coming coming; ///< amount of the current rank
    bool has_coming = false;
  };

  /// Adds a row of the current rank and returns the row's sum. Rows with equal keys are added up; they are of several
  /// processes or of several process groups with one description.
  Sum& add(const Key& key, const Coming& amount) {
    Row& row = rows_[key];
    if (!row.has_coming) {
      row.has_coming = true;
      touched_.push_back(&row);
    }
    row.coming += amount;
    return row.sum;
  }

  void endRank(RankSlot slot, std::optional<int64_t> rank) {
    for (Row* row : touched_) {
      addToSpreads(row->sum, row->coming, rank);
      row->slots.add(slot);
      row->coming = {};
      row->has_coming = false;
    }
    touched_.clear();
  }

  const std::unordered_map<Key, Row, KeyHash>& rows() const {
    return rows_;
  }

 private:
  std::unordered_map<Key, Row, KeyHash> rows_;
  std::vector<Row*> touched_; ///< rows of the current rank; nodes of a map do not move
};

} // namespace commtap
