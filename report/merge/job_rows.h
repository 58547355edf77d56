// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_report.h"
#include "report/json/row_columns.h"
#include "report/json/row_key.h"
#include "report/merge/rank_rows.h"

namespace commtap {

/// Returns the key of a row with numbers in place of texts: `group` for the group, those of `texts` for the others.
inline auto numberedKey(const Collective& row, uint32_t group, StringTable& texts) {
  return keyParts<Collective>([&row, group, &texts](const auto& column) {
    const auto& value = row.*column.member;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
      return column.member == &Collective::group ? group : texts.id(value);
    } else {
      return value;
    }
  });
}

/// Builds the rows of a job's collectives. Ranks are added one after the other.
class JobRows {
 public:
  /// Adds a row of the current rank, and the members that its report has for it.
  void add(const Collective& row, uint32_t group, std::span<const Member> members = {});
  void endRank(RankSlot slot, std::optional<int64_t> rank) {
    rows_.endRank(slot, rank);
  }

  /// Returns the rows, unsorted; `group` is as passed to add().
  std::vector<JobCollective> take(RankSets& sets) const;

 private:
  using Key = decltype(numberedKey(Collective(), 0, std::declval<StringTable&>()));
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct MemberSum {
    uint64_t bytes = 0;
    std::optional<uint64_t> count{};
  };
  struct Sum : RankedAmount {
    std::vector<uint32_t> lowered; ///< only a few
    std::map<uint32_t, MemberSum> members;
    Splits splits;
    JobRowTime time;
  };
  using Rows = RankRows<Key, KeyHash, Amount, Sum>;

  /// Returns no members unless they add up to the row: a rank may not know its own.
  std::vector<JobMember> membersOf(const Sum& sum) const;
  JobCollective collectiveOf(const Key& key, const Rows::Row& row, RankSets& sets) const;

  StringTable texts_;
  Rows rows_;
};

} // namespace commtap
