// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_report.h"
#include "report/merge/rank_rows.h"

namespace commtap {

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
  struct Key {
    uint32_t module;
    uint32_t issued_in;
    uint32_t op;
    uint32_t group;
    uint32_t dtype;
    uint32_t reduce_op;
    uint32_t label;
    Phase phase;
    Kind kind;
    AsyncOp async_op;
    bool compiled;
    bool setup;

    bool operator==(const Key&) const = default;
  };
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
  };
  using Rows = RankRows<Key, KeyHash, Amount, Sum>;

  /// Returns no members unless they add up to the row: a rank may not know its own.
  std::vector<JobMember> membersOf(const Sum& sum) const;
  JobCollective collectiveOf(const Key& key, const Rows::Row& row, RankSets& sets) const;

  StringTable texts_;
  Rows rows_;
};

} // namespace commtap
