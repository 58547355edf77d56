// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_nccl.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace commtap {
namespace {

const std::string& groupNameOf(const JobNcclCall& call, const std::vector<JobGroup>& groups) {
  static const std::string none;
  return call.group ? groups[*call.group].name : none;
}

} // namespace

size_t JobNcclSums::KeyHash::operator()(const Key& key) const {
  size_t hash = key.function;
  for (const uint32_t part : {key.op, key.group.value_or(UINT32_MAX), key.module, key.dtype}) {
    hash = mixHash(hash, part);
  }
  return mixHash(hash, static_cast<size_t>(key.phase));
}

void JobNcclSums::addProcess(const Nccl& nccl, std::optional<int64_t> rank) {
  ++processes_;
  communicators_ += nccl.communicators.size();
  std::vector<int64_t>& ranks = versions_[nccl.version];
  if (rank) {
    ranks.push_back(*rank);
  }
}

void JobNcclSums::add(const NcclCall& call, std::optional<uint32_t> group) {
  const Key key{
      texts_.id(call.function), texts_.id(call.op), group, texts_.id(call.module), texts_.id(call.dtype), call.phase};
  rows_.add(key, amountOf(call));
}

JobNcclCall JobNcclSums::callOf(const Key& key, const Rows::Row& row, RankSets& sets) const {
  return {
      texts_.text(key.function),
      texts_.text(key.op),
      key.group,
      texts_.text(key.module),
      key.phase,
      texts_.text(key.dtype),
      sets.idOf(row.slots),
      row.sum};
}

std::optional<JobNccl> JobNcclSums::take(RankSets& sets) const {
  if (processes_ == 0) {
    return std::nullopt;
  }
  JobNccl nccl{processes_, communicators_, {}, {}};
  for (const auto& [version, ranks] : versions_) {
    nccl.versions.push_back({version, rankRanges(ranks)});
  }
  nccl.calls.reserve(rows_.rows().size());
  for (const auto& [key, row] : rows_.rows()) {
    nccl.calls.push_back(callOf(key, row, sets));
  }
  return nccl;
}

void sortNcclCalls(std::vector<JobNcclCall>& calls, const std::vector<JobGroup>& groups) {
  const auto key = [&groups](const JobNcclCall& call) {
    return std::tuple(
        call.op.empty(),
        std::string_view(call.op),
        std::string_view(groupNameOf(call, groups)),
        std::string_view(call.function),
        std::string_view(call.module),
        call.phase,
        std::string_view(call.dtype));
  };
  std::sort(calls.begin(), calls.end(), [&key](const auto& a, const auto& b) { return key(a) < key(b); });
}

NcclTotals ncclTotalsOf(const JobReport& job, std::optional<Phase> phase) {
  const auto is_wanted = [phase](Phase of_row) { return !phase || *phase == of_row; };
  NcclSums sums;
  if (!job.nccl) {
    return sums.take();
  }
  for (const JobNcclCall& call : job.nccl->calls) {
    const RankedNcclCalls& calls = call.calls;
    const NcclAmount amount{calls.count.sum, calls.failed.sum, calls.bytes.sum};
    if (is_wanted(call.phase)) {
      sums.addCall(call.op, groupNameOf(call, job.groups), call.module, call.function, amount);
    }
  }
  for (const JobCollective& row : job.collectives) {
    const JobGroup& group = job.groups[row.group];
    if (is_wanted(row.phase)) {
      sums.addAsked(row.op, group.name, isOfNccl(group.backend), row.amount.count.sum, row.amount.bytes.sum);
    }
  }
  return sums.take();
}

} // namespace commtap
