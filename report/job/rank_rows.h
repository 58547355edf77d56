// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "report/job/rank_slots.h"

namespace commtap {

/// The rows of a table of the job while ranks come in one after the other. `Coming` is what one rank has of a row, to
/// which += adds; `Sum` what all have, to which addToSpreads adds that.
template <typename Key, typename KeyHash, typename Coming, typename Sum>
class RankRows {
 public:
  struct Row {
    Sum sum;
    SlotSet slots;
    Coming coming; ///< of the rank that is coming in
    bool has_coming = false;
  };

  /// One row of the rank that is coming in. Rows of one key are added up: of several processes, or of several process
  /// groups of one description.
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
  std::vector<Row*> touched_; ///< rows of the rank that is coming in; a map's nodes do not move
};

} // namespace commtap
