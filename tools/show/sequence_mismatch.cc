// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/sequence_mismatch.h"

#include <algorithm>
#include <utility>

namespace commtap {
namespace {

/// Returns whether all ranks have equal payloads. Uneven splits differ between ranks; the semantics of a backend's own
/// op are not known.
bool hasOnePayload(Kind kind) {
  return kind != Kind::kAllToAll && kind != Kind::kOther;
}

bool fits(const LastCollective& a, const LastCollective& b) {
  return a.kind == b.kind && a.dtype == b.dtype && (!hasOnePayload(a.kind) || a.bytes == b.bytes);
}

void addCall(const std::optional<int64_t>& rank, const LastCollective& call, std::vector<RankCall>& sorts) {
  const bool known =
      std::any_of(sorts.begin(), sorts.end(), [&](const RankCall& sort) { return fits(sort.call, call); });
  if (!known) {
    sorts.push_back({rank, call});
  }
}

} // namespace

void MismatchFinder::add(const Report& report) {
  std::map<std::string, GroupCalls*> by_name;
  for (const Group& group : report.groups) {
    GroupCalls& calls = groups_[keyOf(report.job, group)];
    calls.group = group;
    by_name[group.name] = &calls;
  }
  for (const LastCollective& call : report.last) {
    const auto found = by_name.find(call.group);
    if (found != by_name.end() && !isPointToPoint(call.kind)) {
      addCall(report.job.rank, call, found->second->by_sequence[call.sequence]);
    }
  }
}

std::vector<SequenceMismatch> MismatchFinder::take() {
  std::vector<SequenceMismatch> mismatches;
  for (auto& [key, calls] : groups_) {
    for (auto& [sequence, sorts] : calls.by_sequence) {
      if (sorts.size() > 1) {
        mismatches.push_back({calls.group, sequence, std::move(sorts)});
        break;
      }
    }
  }
  return mismatches;
}

std::vector<SequenceMismatch> mismatchesOf(std::span<const Report* const> reports) {
  MismatchFinder finder;
  for (const Report* report : reports) {
    finder.add(*report);
  }
  return finder.take();
}

} // namespace commtap
