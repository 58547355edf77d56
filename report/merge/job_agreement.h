// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_report.h"
#include "report/merge/job_rows.h"

namespace commtap {

class JobOrder;

/// The ranks whose end explains, or cannot explain, that they made fewer calls than others.
struct JobEndings {
  RankRanges killed;  ///< killed from outside
  RankRanges unclear; ///< still running, or ended by a signal of its own: it may have waited for other ranks
};

/// Compares the collectives of the ranks of each process group. Ranks are added in ascending order. While a group's
/// ranks agree, only the first rank's rows are kept; after its last rank, none.
///
/// Root modules of one class count as one module. Every rank of a group must make the same collectives, so different
/// counts for one module and op are a disagreement. Sends and receives connect two ranks, so only their sums over the
/// group must match. Ops of kind `other` are not compared.
///
/// Killed ranks stop at different points of a sequence that all ranks share. Such differences are kStopped.
class JobAgreement {
 public:
  /// Adds a row of the current rank.
  void add(const Collective& row, uint32_t instance);
  /// Compares the current rank's rows with its groups. Ranks must end in ascending order.
  void endRank(int64_t rank, const JobGroups& groups);
  /// Drops the current rows, which are of a process without a rank: its groups are not known.
  void dropRank();

  struct Findings {
    std::vector<Disagreement> worst; ///< most severe first, at most kMaxDisagreements
    uint64_t found = 0;
  };
  /// Returns the disagreements found. `present`: the merged ranks. `order`: the last calls of the same ranks.
  Findings take(const JobGroups& groups, const RankRanges& present, const JobEndings& endings, const JobOrder& order)
      const;

 private:
  struct Key {
    uint32_t module;
    uint32_t op;
    uint32_t dtype;
    uint32_t reduce_op;
    Phase phase;
    Kind kind;

    auto operator<=>(const Key&) const = default; // NOLINT(modernize-use-nullptr): generated code
  };
  struct Entry {
    uint32_t key; ///< index into keys_
    uint64_t count;
    uint64_t bytes; ///< 0 if ranks may legitimately differ

    bool operator==(const Entry&) const = default;
  };
  using Entries = std::vector<Entry>; ///< by key
  struct Instance {
    Entries reference;                                 ///< rows of the first rank
    std::vector<int64_t> agreeing;                     ///< ranks with the rows of `reference`
    std::vector<std::pair<int64_t, Entries>> deviants; ///< ranks with other rows
  };
  struct Traffic {
    Amount sent;
    Amount received;
  };
  class Judge;
  struct Ranks;
  struct Finding;

  uint32_t keyOf(const Collective& row);
  void compare(int64_t rank, Instance& instance, Entries entries, size_t member_count);
  void findUnmatched(const Ranks& ranks, std::vector<Finding>& findings) const;
  Disagreement unmatchedOf(const Finding& finding) const;
  Disagreement differenceOf(const Judge& judge, const Finding& finding) const;

  StringTable texts_;
  std::map<Key, uint32_t> key_ids_;
  std::vector<Key> keys_;
  std::map<uint32_t, Entries> coming_; ///< rows of the current rank, by instance
  std::unordered_map<uint32_t, Instance> instances_;
  std::map<std::pair<uint32_t, uint32_t>, Traffic> traffic_; ///< by instance and dtype
  std::map<std::pair<uint32_t, uint32_t>, Traffic> coming_traffic_;
};

} // namespace commtap
