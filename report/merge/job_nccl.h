// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_report.h"
#include "report/merge/rank_slots.h"
#include "report/model/nccl.h"

namespace commtap {

/// Sums up a job's NCCL calls. Ranks are added one after the other.
class JobNcclSums {
 public:
  /// Adds a process of the current rank. Its rows follow with add(); `group` is the row's group in the job.
  void addProcess(const Nccl& nccl, std::optional<int64_t> rank);
  void add(const NcclCall& call, std::optional<uint32_t> group);
  void endRank(RankSlot slot, std::optional<int64_t> rank) {
    rows_.endRank(slot, rank);
  }

  /// Returns the sums, or nullopt if no process called NCCL. Rows are unsorted; `group` is as passed to add().
  std::optional<JobNccl> take(RankSets& sets) const;

 private:
  struct Key {
    uint32_t function;
    uint32_t op;
    std::optional<uint32_t> group;
    uint32_t module;
    uint32_t dtype;
    Phase phase;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  using Rows = RankRows<Key, KeyHash, NcclAmount, RankedNcclCalls>;

  JobNcclCall callOf(const Key& key, const Rows::Row& row, RankSets& sets) const;

  StringTable texts_;
  Rows rows_;
  std::map<std::string, std::vector<int64_t>> versions_; ///< ranks by version
  uint64_t processes_ = 0;
  uint64_t communicators_ = 0;
};

/// Sorts `calls` in the order of JobNccl::calls. Their groups are indexes into `groups`.
void sortNcclCalls(std::vector<JobNcclCall>& calls, const std::vector<JobGroup>& groups);

/// Returns the sums over all ranks, for one phase or for all; empty if no rank called NCCL.
NcclTotals ncclTotalsOf(const JobReport& job, std::optional<Phase> phase = std::nullopt);

} // namespace commtap
