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
#include "report/model/model.h"

namespace commtap {

/// Of the last collectives of a process: enough to find where ranks that hang parted, few enough for thousands of
/// ranks.
inline constexpr size_t kMostCompared = 256;

/// Compares the order in which the ranks of each process group made their last collectives: number by number, as far as
/// the reports go back on both sides. Ranks come in one after the other; of a group the first one's collectives are
/// kept, and nothing once all of its ranks have come.
///
/// Two collectives are the same if op, dtype and payload are; the payload of all_to_all, and all of an op of kind
/// `other`, may differ. Sends and receives are not compared.
class JobOrder {
 public:
  /// One of the last kMostCompared collectives of the process that is coming in, as they were issued.
  void add(const LastCollective& call, uint32_t instance);
  /// Of a rank with several processes only the first that used a group counts for it.
  void endProcess();
  /// Ranks come in ascending order.
  void endRank(int64_t rank, const JobGroups& groups);
  /// Forgets a process without a rank, which is no member of a group that could be known.
  void dropRank();

  /// For each process group whose ranks differ the first number at which they do, the largest groups first.
  /// `Disagreement::group` is JobGroups's number.
  std::vector<Disagreement> take(const JobGroups& groups) const;

 private:
  /// One of a group's collectives.
  struct Call {
    uint64_t sequence;
    uint32_t what;   ///< index into kinds_: what has to be the same
    uint32_t module; ///< in texts_
  };
  struct What {
    uint32_t op;
    uint32_t dtype;
    uint64_t bytes; ///< 0 where ranks may rightly differ
    Kind kind;

    auto operator<=>(const What&) const = default; // NOLINT(modernize-use-nullptr): generated code
  };
  using Calls = std::vector<Call>; ///< by sequence
  struct Deviant {
    int64_t rank;
    Call mine;
    Call first_ranks;
  };
  struct Instance {
    Calls reference; ///< of the first rank
    std::vector<int64_t> ranks;
    std::vector<Deviant> deviants; ///< each at the first number at which it differs
  };

  uint32_t idOf(const What& what);
  void compare(int64_t rank, Instance& instance, const Calls& calls) const;
  Disagreement disagreementOf(const Instance& instance) const;
  Disagreement::Value valueOf(const Call& call, std::vector<int64_t> ranks) const;

  StringTable texts_;
  std::map<What, uint32_t> ids_;
  std::vector<What> kinds_;
  std::map<uint32_t, Calls> coming_;         ///< by instance, of the rank that is coming in
  std::map<uint32_t, Calls> coming_process_; ///< of its process that is coming in
  std::unordered_map<uint32_t, Instance> instances_;
};

} // namespace commtap
