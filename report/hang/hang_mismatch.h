// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "report/hang/hang_groups.h"
#include "report/hang/hang_waits.h"
#include "report/hang/verdict.h"

namespace commtap {

/// Ranks of a group that made the same call.
struct MismatchSide {
  std::vector<int64_t> ranks;
  const LastCollective* call = nullptr; ///< of the first rank
};

/// Calls that differ between ranks although they meet: collectives with one number, or a send and its receive.
struct Mismatch {
  HangReason reason = HangReason::kOp;
  const HangGroup* group = nullptr;
  uint64_t sequence = 0;
  std::vector<MismatchSide> sides; ///< most ranks first
  std::vector<int64_t> cause;      ///< fewer ranks than the others; all, if no side has most ranks
  uint64_t at_ns = 0;              ///< CLOCK_REALTIME at which the last side made the call
  bool is_proven = true;           ///< false: the reason follows from what ranks did in earlier steps
};

/// Returns the first mismatch of each group, the earliest first. Compares as far back as reports go.
std::vector<Mismatch> mismatchesOf(const HangGroups& groups);

/// Returns the waits, and those of ranks whose last call differs from that of other ranks: it cannot complete, unless
/// only its reduction differs. They wait for no rank.
Waits withMismatches(Waits waits, const std::vector<Mismatch>& mismatches);

/// Returns the first stretch in which ranks of a group made other collectives; nullopt if there is none in what all
/// ranks have completed. Knows nothing of what ranks made within the stretch.
std::optional<HangDivergence> divergenceOf(const HangGroup& group);

/// A member of a group that is a cause, and one that is not; nullptr where no such member has a report.
struct ComparedRanks {
  const HangMember* one = nullptr;
  const HangMember* other = nullptr;
};
ComparedRanks comparedRanks(const HangGroup& group, const std::vector<int64_t>& cause);

/// Returns up to `most` rows of the group's collectives that the two ranks count differently; none if one is missing.
std::vector<HangCount> countsOf(const ComparedRanks& ranks, size_t most);

} // namespace commtap
