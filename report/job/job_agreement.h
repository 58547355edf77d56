// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_groups.h"
#include "report/job/job_report.h"

namespace commtap {

/// Compares what the ranks of each process group did in it, while ranks come in one after the other. Of a group whose
/// ranks agree only the first one's rows are kept, and nothing once all of them have come.
///
/// The roots of one class are one module here.
/// Every rank of a group has to make the same collectives, so different counts for one module and op are a
/// disagreement. Sends and receives go from one rank to another: there the sums over the group have to match. Ops of
/// kind `other` may be anything and are not judged.
class JobAgreement {
 public:
  /// One row of the rank that is coming in.
  void add(const Collective& row, uint32_t instance);
  /// Ranks come in ascending order.
  void endRank(int64_t rank, const JobGroups& groups);
  /// Forgets the rows of a process without a rank, which is no member of a group that could be known.
  void dropRank();

  struct Findings {
    std::vector<Disagreement> worst; ///< the worst first, at most kMaxDisagreements
    uint64_t found = 0;
  };
  /// `present`: the ranks that have come in.
  Findings take(const JobGroups& groups, const RankRanges& present) const;

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
    uint64_t bytes; ///< 0 where ranks may rightly differ

    bool operator==(const Entry&) const = default;
  };
  using Entries = std::vector<Entry>; ///< by key
  struct Instance {
    Entries reference;                                 ///< of the first rank
    std::vector<int64_t> agreeing;                     ///< ranks that have the same
    std::vector<std::pair<int64_t, Entries>> deviants; ///< ranks that have something else
  };
  struct Traffic {
    Amount sent;
    Amount received;
  };
  class Judge;
  struct Finding;

  uint32_t keyOf(const Collective& row);
  void compare(int64_t rank, Instance& instance, Entries entries, size_t member_count);
  void findUnmatched(const JobGroups& groups, const RankRanges& present, std::vector<Finding>& findings) const;
  Disagreement unmatchedOf(const Finding& finding) const;
  Disagreement differenceOf(const Judge& judge, const Finding& finding) const;

  StringTable texts_;
  std::map<Key, uint32_t> key_ids_;
  std::vector<Key> keys_;
  std::map<uint32_t, Entries> coming_; ///< by instance, of the rank that is coming in
  std::unordered_map<uint32_t, Instance> instances_;
  std::map<std::pair<uint32_t, uint32_t>, Traffic> traffic_; ///< by instance and dtype
  std::map<std::pair<uint32_t, uint32_t>, Traffic> coming_traffic_;
};

} // namespace commtap
