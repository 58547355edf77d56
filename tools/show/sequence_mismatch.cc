// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/sequence_mismatch.h"

#include "report/hang/hang_groups.h"
#include "report/hang/hang_mismatch.h"

namespace commtap {

std::vector<SequenceMismatch> sequenceMismatches(std::span<const Report* const> reports) {
  std::vector<RankSight> sights;
  for (const Report* report : oneProcessPerRank(reports)) {
    sights.push_back({report, {}});
  }
  const HangGroups groups(sights);
  std::vector<SequenceMismatch> found;
  for (const Mismatch& mismatch : mismatchesOf(groups)) {
    if (mismatch.reason == HangReason::kUnmatched) {
      continue;
    }
    SequenceMismatch& each = found.emplace_back();
    each.group_title = mismatch.group->title;
    each.sequence = mismatch.sequence;
    for (const MismatchSide& side : mismatch.sides) {
      each.calls.push_back({rankRanges(side.ranks), *side.call});
    }
  }
  return found;
}

} // namespace commtap
