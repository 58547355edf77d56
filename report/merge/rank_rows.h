// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "report/merge/rank_slots.h"

namespace commtap {

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
