// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/sharded_parameters.h"

#include "report/job/merged_row.h"

namespace commtap {
namespace {

/// FSDP calls c10d. Functional collectives are DTensor's, of tensor parallelism for instance, or a compiler's.
constexpr std::string_view kFunctional = "_c10d_functional";

bool isOfItsKinds(const JobCollective& row) {
  return row.kind == Kind::kAllGather || row.kind == Kind::kReduceScatter;
}

bool hasParameters(const JobCollective& row) {
  return isOfItsKinds(row) && !row.members.empty() && !isMerged(row);
}

Sharder sharderFrom(const JobModule& module) {
  for (const std::string& wrapper : module.wrappers) {
    if (wrapper == "FSDPModule") {
      return Sharder::kFsdp2;
    }
    if (wrapper == "FullyShardedDataParallel") {
      return Sharder::kFsdp1;
    }
  }
  return Sharder::kNone;
}

} // namespace

ShardedParameters::ShardedParameters(const JobReport& job) {
  for (const JobModule& module : job.modules) {
    if (const Sharder sharder = sharderFrom(module); sharder != Sharder::kNone) {
      wrappers_.emplace(module.name, sharder);
    }
  }
  for (const JobCollective& row : job.collectives) {
    if (hasParameters(row)) {
      known_.insert(row.group);
    }
    if (mayShard(row) && row.kind == Kind::kAllGather && row.issued_in != row.module) {
      prefetching_.insert(row.group);
    }
  }
}

Sharder ShardedParameters::sharderOf(const JobCollective& row) const {
  if (hasParameters(row)) {
    return Sharder::kFsdp2;
  }
  if (!mayShard(row) || prefetching_.count(row.group) == 0) {
    return Sharder::kNone;
  }
  const Sharder sharder = wrapperOf(row.module);
  return sharder == Sharder::kFsdp2 && known_.count(row.group) > 0 ? Sharder::kNone : sharder;
}

bool ShardedParameters::mayShard(const JobCollective& row) const {
  return isOfItsKinds(row) && !row.compiled && !row.op.starts_with(kFunctional) &&
         wrapperOf(row.module) != Sharder::kNone;
}

Sharder ShardedParameters::wrapperOf(std::string_view module) const {
  const auto found = wrappers_.find(module);
  return found == wrappers_.end() ? Sharder::kNone : found->second;
}

} // namespace commtap
