// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "report/job/job_report.h"

namespace commtap {

/// The part of torch that shards parameters, gathers them and scatters their gradients.
enum class Sharder : uint8_t { kNone, kFsdp1, kFsdp2 };

/// Tells the all_gathers of FSDP's parameters and the reduce_scatters of their gradients from those that the model
/// makes itself, as sequence parallelism does. There are two proofs:
/// - The row's members are parameters: only FSDP2's units have such rows of these kinds.
/// - FSDP wraps the row's module, and in the row's group FSDP prefetches: a wrapped module's tensors are gathered while
///   another module runs. In a group where members are known, this proves only the rows of a module that is prefetched
///   itself and has no members in any row: those of parameters that tensor parallelism shards too are not known.
class ShardedParameters {
 public:
  /// `job` must outlive this.
  explicit ShardedParameters(const JobReport& job);

  /// Returns what sharded the parameters of a row; kNone for a row of which that is not proved.
  Sharder sharderOf(const JobCollective& row) const;

  /// Returns whether the row could be FSDP's, proved or not.
  bool mayShard(const JobCollective& row) const;

 private:
  Sharder wrapperOf(std::string_view module) const;

  using Place = std::pair<size_t, std::string_view>; ///< a group, and a module; "" for all of them

  std::unordered_map<std::string_view, Sharder> wrappers_; ///< of the modules that have one
  std::set<Place> prefetched_;
  std::set<Place> known_; ///< where rows have parameters as members
};

} // namespace commtap
