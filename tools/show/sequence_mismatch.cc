// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/sequence_mismatch.h"

#include <algorithm>
#include <map>

#include "tools/show/job_group_key.h"

namespace commtap {
namespace {

/// With uneven splits each rank has another payload; what a backend's own op moves is not known.
bool hasOnePayload(Kind kind) {
  return kind != Kind::kAllToAll && kind != Kind::kOther;
}

bool fits(const LastCollective& a, const LastCollective& b) {
  return a.kind == b.kind && a.dtype == b.dtype && (!hasOnePayload(a.kind) || a.bytes == b.bytes);
}

/// One group's calls by number, each sort once.
struct GroupCalls {
  Group group;
  std::map<uint64_t, std::vector<RankCall>> by_sequence;
};

void add(const Report& report, const LastCollective& call, GroupCalls& calls) {
  std::vector<RankCall>& sorts = calls.by_sequence[call.sequence];
  const bool known =
      std::any_of(sorts.begin(), sorts.end(), [&](const RankCall& sort) { return fits(sort.call, call); });
  if (!known) {
    sorts.push_back({report.job.rank, call});
  }
}

} // namespace

std::vector<SequenceMismatch> mismatchesOf(std::span<const Report* const> reports) {
  std::map<JobGroupKey, GroupCalls> groups;
  for (const Report* report : reports) {
    std::map<std::string, GroupCalls*> by_name;
    for (const Group& group : report->groups) {
      GroupCalls& calls = groups[keyOf(report->job, group)];
      calls.group = group;
      by_name[group.name] = &calls;
    }
    for (const LastCollective& call : report->last) {
      const auto found = by_name.find(call.group);
      if (found != by_name.end() && !isPointToPoint(call.kind)) {
        add(*report, call, *found->second);
      }
    }
  }
  std::vector<SequenceMismatch> mismatches;
  for (auto& [key, calls] : groups) {
    for (auto& [sequence, sorts] : calls.by_sequence) {
      if (sorts.size() > 1) {
        mismatches.push_back({calls.group, sequence, std::move(sorts)});
        break;
      }
    }
  }
  return mismatches;
}

} // namespace commtap
