// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/odd_gradient.h"

#include <algorithm>

namespace commtap {

std::optional<OddGradient> firstOddGradient(const RankTracks& members, size_t last) {
  std::optional<size_t> before;
  size_t end = 0;
  for (const RankTrack* member : members) {
    end = std::max(end, member->rows.size());
  }
  for (size_t step = 0; step < end && step <= last; ++step) {
    OddGradient odd;
    for (const RankTrack* member : members) {
      if (hasUsedGradient(*member, step)) {
        (member->row(step)->gradient.has_non_finite ? odd.not_finite : odd.finite).push_back(member);
      }
    }
    if (!odd.finite.empty() && !odd.not_finite.empty()) {
      odd.step = step;
      odd.before = before;
      return odd;
    }
    before = odd.not_finite.empty() && !odd.finite.empty() ? step : before;
  }
  return std::nullopt;
}

} // namespace commtap
