// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_rows.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "report/job/job_columns.h"
#include "report/model/saturating.h"

namespace commtap {

namespace {

consteval size_t at(std::string_view column) {
  return keyIndex<Collective>(column);
}

} // namespace

/// Names columns, because a document numbers its rank sets in the order of rows in the map, which follows from this
/// hash and from the numbers of texts. A column that it lacks only makes keys collide.
size_t JobRows::KeyHash::operator()(const Key& key) const {
  size_t hash = std::get<at(field::kModule)>(key);
  for (const uint32_t part :
       {std::get<at(field::kIssuedIn)>(key),
        std::get<at(field::kOp)>(key),
        std::get<at(field::kGroup)>(key),
        std::get<at(field::kDtype)>(key),
        std::get<at(field::kReduceOp)>(key),
        std::get<at(field::kLabel)>(key)}) {
    hash = mixHash(hash, part);
  }
  const auto names = static_cast<size_t>(std::get<at(field::kPhase)>(key)) << 16U |
                     static_cast<size_t>(std::get<at(field::kKind)>(key)) << 8U;
  const auto flags = static_cast<size_t>(std::get<at(field::kCompiled)>(key)) << 24U |
                     static_cast<size_t>(std::get<at(field::kSetup)>(key)) << 25U;
  return mixHash(hash, names | static_cast<size_t>(std::get<at(field::kAsync)>(key)) | flags);
}

void JobRows::add(const Collective& row, uint32_t group, std::span<const Member> members) {
  if (row.issued_in != row.module) { // numbers them before the other texts: see KeyHash
    texts_.id(row.module);
    texts_.id(row.issued_in);
  }
  Sum& sum = rows_.add(numberedKey(row, group, texts_), {row.count, row.bytes, row.bus_bytes});
  for (const std::string& op : row.lowered) {
    const uint32_t id = texts_.id(op);
    if (std::find(sum.lowered.begin(), sum.lowered.end(), id) == sum.lowered.end()) {
      sum.lowered.push_back(id);
    }
  }
  sum.splits += row.splits;
  addSaturating(sum.time.count, row.time.timedCount());
  addSaturating(sum.time.running_ns, row.time.of(DurationKind::kRunning).sum_ns);
  addSaturating(sum.time.exposed_ns, row.time.of(DurationKind::kExposed).sum_ns);
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
  setKey(collective, key, [this](auto& member, const auto& part) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>) {
      member = texts_.text(part);
    } else {
      member = part;
    }
  });
  for (const uint32_t op : row.sum.lowered) {
    collective.lowered.push_back(texts_.text(op));
  }
  std::sort(collective.lowered.begin(), collective.lowered.end());
  collective.members = membersOf(row.sum);
  collective.rank_set = sets.idOf(row.slots);
  collective.amount = row.sum;
  collective.splits = row.sum.splits;
  collective.time = row.sum.time;
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
