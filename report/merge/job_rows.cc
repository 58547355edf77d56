// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <algorithm>

#include "report/model/saturating.h"

namespace commtap {

size_t JobRows::KeyHash::operator()(const Key& key) const {
  size_t hash = key.module;
  for (const uint32_t part : {key.issued_in, key.op, key.group, key.dtype, key.reduce_op, key.label}) {
    hash = mixHash(hash, part);
  }
  const auto names = static_cast<size_t>(key.phase) << 16U | static_cast<size_t>(key.kind) << 8U;
  const auto flags = static_cast<size_t>(key.compiled) << 24U | static_cast<size_t>(key.setup) << 25U;
  return mixHash(hash, names | static_cast<size_t>(key.async_op) | flags);
}

void JobRows::add(const Collective& row, uint32_t group, std::span<const Member> members) {
  const Key key{
      texts_.id(row.module),
      texts_.id(row.issued_in),
      texts_.id(row.op),
      group,
      texts_.id(row.dtype),
      texts_.id(row.reduce_op),
      texts_.id(row.label),
      row.phase,
      row.kind,
      row.async_op,
      row.compiled,
      row.setup};
  Sum& sum = rows_.add(key, {row.count, row.bytes, row.bus_bytes});
  for (const std::string& op : row.lowered) {
    const uint32_t id = texts_.id(op);
    if (std::find(sum.lowered.begin(), sum.lowered.end(), id) == sum.lowered.end()) {
      sum.lowered.push_back(id);
    }
  }
  for (const Member& member : members) {
    MemberSum& all = sum.members[texts_.id(member.module)];
    addSaturating(all.bytes, member.bytes);
    if (member.count) {
      addSaturating(all.count ? *all.count : all.count.emplace(0), *member.count);
    }
  }
}

std::vector<JobMember> JobRows::membersOf(const Sum& sum) const {
  std::vector<JobMember> members;
  uint64_t all = 0;
  for (const auto& [module, part] : sum.members) {
    addSaturating(all, part.bytes);
    members.push_back({std::string(texts_.text(module)), part.bytes, part.count});
  }
  return all == sum.bytes.sum ? members : std::vector<JobMember>();
}

JobCollective JobRows::collectiveOf(const Key& key, const Rows::Row& row, RankSets& sets) const {
  JobCollective collective;
  collective.module = texts_.text(key.module);
  collective.issued_in = texts_.text(key.issued_in);
  collective.phase = key.phase;
  collective.op = texts_.text(key.op);
  collective.kind = key.kind;
  collective.group = key.group;
  collective.dtype = texts_.text(key.dtype);
  collective.reduce_op = texts_.text(key.reduce_op);
  collective.async_op = key.async_op;
  collective.label = texts_.text(key.label);
  collective.compiled = key.compiled;
  collective.setup = key.setup;
  for (const uint32_t op : row.sum.lowered) {
    collective.lowered.push_back(texts_.text(op));
  }
  std::sort(collective.lowered.begin(), collective.lowered.end());
  collective.members = membersOf(row.sum);
  collective.rank_set = sets.idOf(row.slots);
  collective.amount = row.sum;
  return collective;
}

std::vector<JobCollective> JobRows::take(RankSets& sets) const {
  std::vector<JobCollective> collectives;
  collectives.reserve(rows_.rows().size());
  for (const auto& [key, row] : rows_.rows()) {
    collectives.push_back(collectiveOf(key, row, sets));
  }
  return collectives;
}

} // namespace commtap
