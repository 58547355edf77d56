// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "tools/show/job_group_key.h"

namespace commtap {

/// A collective of one rank.
struct RankCall {
  std::optional<int64_t> rank;
  LastCollective call;
};

/// A process group whose ranks have issued different collectives under one number: a hang, or wrong results.
struct SequenceMismatch {
  Group group;
  uint64_t sequence = 0;       ///< the first number at which they differ
  std::vector<RankCall> calls; ///< one of each sort, by rank
};

/// Finds the groups whose ranks differ, from reports that come in the order of ranks. Ranks differ if kind, dtype or
/// payload do; the payloads of all_to_all and of kind `other`, and sends and receives, are not compared.
class MismatchFinder {
 public:
  void add(const Report& report);
  std::vector<SequenceMismatch> take();

 private:
  /// The calls of a group by number, each sort once.
  struct GroupCalls {
    Group group;
    std::map<uint64_t, std::vector<RankCall>> by_sequence;
  };

  std::map<JobGroupKey, GroupCalls> groups_;
};

/// Returns the mismatches of these reports.
std::vector<SequenceMismatch> mismatchesOf(std::span<const Report* const> reports);

} // namespace commtap
