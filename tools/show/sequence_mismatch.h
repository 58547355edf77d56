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

/// A process group whose ranks issued different collectives under one sequence number: a hang or wrong results.
struct SequenceMismatch {
  Group group;
  uint64_t sequence = 0;       ///< first differing sequence number
  std::vector<RankCall> calls; ///< one per distinct call, by rank
};

/// Finds the groups whose ranks diverged. Reports must be added in the order of ranks. Calls differ if kind, dtype or
/// payload differ. Sends, receives, and the payloads of all_to_all and kind `other` are not compared.
class MismatchFinder {
 public:
  void add(const Report& report);
  std::vector<SequenceMismatch> take();

 private:
  /// The distinct calls of a group by sequence number.
  struct GroupCalls {
    Group group;
    std::map<uint64_t, std::vector<RankCall>> by_sequence;
  };

  std::map<JobGroupKey, GroupCalls> groups_;
};

/// Returns the mismatches of these reports.
std::vector<SequenceMismatch> mismatchesOf(std::span<const Report* const> reports);

} // namespace commtap
