// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/advice/sharded_parameters.h"

#include "report/advice/advice_findings.h"
#include "report/job/merged_row.h"

namespace commtap {
namespace {

bool isOfItsKinds(const JobCollective& row) {
  return row.kind == Kind::kAllGather || row.kind == Kind::kReduceScatter;
}

/// Rows of other phases have members if a call of the job's own sends a list of parameters.
bool hasParameters(const JobCollective& row) {
  const bool is_of_unit = row.phase != Phase::kOptimizer && row.phase != Phase::kOther;
  return isOfItsKinds(row) && is_of_unit && !row.members.empty() && !isMerged(row);
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
      known_.insert({Place(row.group, ""), Place(row.group, row.module)});
    }
    if (mayShard(row) && row.kind == Kind::kAllGather && row.issued_in != row.module) {
      prefetched_.insert({Place(row.group, ""), Place(row.group, row.module)});
    }
  }
}

Sharder ShardedParameters::sharderOf(const JobCollective& row) const {
  if (hasParameters(row)) {
    return Sharder::kFsdp2;
  }
  const Place all(row.group, "");
  const Place own(row.group, row.module);
  if (!mayShard(row) || !prefetched_.contains(all)) {
    return Sharder::kNone;
  }
  const Sharder sharder = wrapperOf(row.module);
  const bool has_known = sharder == Sharder::kFsdp2 && known_.contains(all);
  return !has_known || (prefetched_.contains(own) && !known_.contains(own)) ? sharder : Sharder::kNone;
}

bool ShardedParameters::mayShard(const JobCollective& row) const {
  return isOfItsKinds(row) && !row.compiled && !isFunctional(row) && // FSDP calls c10d
         wrapperOf(row.module) != Sharder::kNone;
}

Sharder ShardedParameters::wrapperOf(std::string_view module) const {
  const auto found = wrappers_.find(module);
  return found == wrappers_.end() ? Sharder::kNone : found->second;
}

} // namespace commtap
