// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_report.h"
#include "report/merge/first_difference.h"
#include "report/merge/job_rows.h"
#include "report/model/model.h"

namespace commtap {

/// How many of a process's last collectives are compared: enough to find where hanging ranks diverged, few enough for
/// thousands of ranks.
inline constexpr size_t kMostCompared = 256;

/// Compares the last collectives of the ranks of each process group by FirstDifference. Ranks are added in ascending
/// order. The collectives that all ranks of a group have issued are kept until the last rank has been compared.
///
/// Two collectives match if their AgreedFacts match. An op of kind `other` matches all. Sends and receives are not
/// compared.
class JobOrder {
 public:
  /// Adds one of the last kMostCompared collectives of the current process, in issue order.
  void add(const LastCollective& call, uint32_t instance);
  /// Ends the current process. A group counts only the first process of a rank that used it.
  void endProcess();
  /// Compares the current rank with its groups. Ranks must end in ascending order.
  void endRank(int64_t rank, const JobGroups& groups);
  /// Drops the current process, which has no rank: its groups are not known.
  void dropRank();

  /// Returns the first differing sequence number of each process group whose ranks diverged, the largest groups first.
  /// `Disagreement::group` is a number of JobGroups.
  std::vector<Disagreement> take(const JobGroups& groups) const;

  /// Returns the collectives of a process group that `rank` has not issued and the furthest rank has. Returns nullopt
  /// unless the calls of `rank` are the first part of the same sequence, as far back as both reports go.
  std::optional<std::vector<Disagreement::Call>> missedBy(uint32_t instance, int64_t rank) const;
  /// Returns a rank of the process group that has issued the most collectives; nullopt if none issued any.
  std::optional<int64_t> furthestRank(uint32_t instance) const;

 private:
  /// A collective of a group.
  struct Call {
    uint64_t sequence;
    uint32_t what;   ///< index into distinct_: must be equal on all ranks
    uint32_t module; ///< in modules_
  };
  struct ByFacts {
    bool operator()(const LastCollective& a, const LastCollective& b) const {
      return agreedFacts(a) < agreedFacts(b);
    }
  };
  struct IsSame {
    bool operator()(const Call& a, const Call& b) const {
      return a.what == b.what;
    }
  };
  using Instance = FirstDifference<Call, IsSame>;
  using Calls = Instance::Calls;

  uint32_t idOf(const LastCollective& call);
  Disagreement::Call described(const Call& call) const;
  Disagreement::Value valueOf(const Instance::Side& side) const;

  StringTable modules_;
  std::map<LastCollective, uint32_t, ByFacts> ids_;
  std::vector<const LastCollective*> distinct_; ///< keys of ids_
  std::map<uint32_t, Calls> coming_;            ///< collectives of the current rank, by instance
  std::map<uint32_t, Calls> coming_process_;    ///< collectives of its current process, by instance
  std::unordered_map<uint32_t, Instance> instances_;
};

} // namespace commtap
