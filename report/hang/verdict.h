// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/model/rank_ranges.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// Whether a job hangs.
enum class HangStatus : uint8_t {
  kHealthy, ///< the job goes on, or has ended without a rank that waited
  kWrong,   ///< the job goes on or has ended, but its ranks did not communicate alike
  kStuck,   ///< ranks wait for what cannot come, or has not come for a long time
  kUnknown, ///< what the reports hold does not tell
};
inline constexpr int kHangStatusCount = 4;

/// Why a job hangs.
enum class HangReason : uint8_t {
  kNone,
  kOp,           ///< other collectives under one number
  kSize,         ///< the same collective with other payloads
  kDtype,        ///< the same collective with other dtypes
  kReduceOp,     ///< the same collective with other reductions
  kRoot,         ///< the same collective with other roots
  kSkipped,      ///< a rank left out a collective
  kExtra,        ///< a rank made a collective that the others did not
  kDiverged,     ///< ranks made other collectives some time ago
  kUnmatched,    ///< a send and its receive have other payloads or dtypes
  kCycle,        ///< ranks wait for each other
  kKilled,       ///< a rank was ended by a signal
  kExited,       ///< a rank has exited
  kStopped,      ///< a rank's process is stopped
  kNeverCame,    ///< a rank has no report
  kBlocked,      ///< a rank waits outside of communication
  kElsewhere,    ///< a rank of another machine has not come
  kComputing,    ///< a rank computes
  kNotCompleted, ///< all ranks have come
  kQuiet,        ///< no rank waits for another, and none makes progress
};
inline constexpr int kHangReasonCount = 20;

/// What a rank does.
enum class RankState : uint8_t {
  kRuns,      ///< it makes progress, or uses its processor
  kWaits,     ///< in communication
  kBlocked,   ///< outside of communication: it sleeps
  kStopped,   ///< by a signal or a debugger
  kExited,    ///< by itself
  kKilled,    ///< by a signal
  kNeverCame, ///< it has no report
  kUnknown,   ///< it is on another machine, and waits for nothing that the reports hold
};
inline constexpr int kRankStateCount = 8;

/// Whether a rank is why others wait.
enum class RankRole : uint8_t { kCause, kVictim, kOther };
inline constexpr int kRankRoleCount = 3;

std::string_view hangStatusName(HangStatus status);
std::string_view hangReasonName(HangReason reason);
/// Returns one sentence about the reason.
std::string_view hangReasonMeaning(HangReason reason);
std::string_view rankStateName(RankState state);
std::string_view rankRoleName(RankRole role);

/// A collective, send or receive, as the ranks in `ranks` made it.
struct HangCall {
  RankRanges ranks;
  std::string group; ///< its title
  RankRanges members;
  uint64_t sequence = 0;
  Kind kind = Kind::kOther;
  std::string op;
  std::string module;
  Phase phase = Phase::kOther;
  uint64_t bytes = 0;
  std::string dtype;           ///< "" for none
  std::string reduce_op;       ///< "" for none
  std::optional<int64_t> root; ///< global rank
  std::optional<int64_t> peer; ///< global rank
  uint64_t step = 0;
  uint64_t issued_at_ns = 0; ///< CLOCK_REALTIME
};

struct HangRank {
  int64_t rank = 0;
  RankRole role = RankRole::kOther;
  RankState state = RankState::kUnknown;
  std::string host;
  std::optional<uint64_t> pid;
  std::optional<int64_t> exit_signal;
  std::string process;           ///< its state in words; "" if not known
  std::optional<HangCall> call;  ///< the one it waits in, else the last it issued
  RankRanges waits_for;          ///< empty if it waits for no rank
  bool inferred = false;         ///< that it waits in `call` follows from its being the last one
  std::optional<uint64_t> steps; ///< that it has ended
};

/// A row of collectives that ranks of a group count differently.
struct HangCount {
  std::string module;
  Phase phase = Phase::kOther;
  std::string op;
  std::string dtype;     ///< "" for none
  std::string reduce_op; ///< "" for none
  RankRanges cause;
  uint64_t cause_count = 0;
  RankRanges others;
  uint64_t others_count = 0;
};

/// The first stretch in which the ranks of a group made other collectives.
struct HangDivergence {
  std::string group;
  RankRanges members;
  RankRanges ranks; ///< those that differ from the others
  uint64_t from = 0;
  uint64_t to = 0;
};

/// The stack of a rank's process, from a tool.
struct HangStack {
  int64_t rank = 0;
  uint64_t pid = 0;
  std::string command;
  std::string text;
};

/// The JSON of `commtap why`. docs/schema/commtap-why-1.schema.json describes each field.
struct Verdict {
  std::string schema = "commtap.why/1";
  HangStatus status = HangStatus::kUnknown;
  HangReason reason = HangReason::kNone;
  std::string line;      ///< in one sentence
  bool inferred = false; ///< parts follow from the order of events, not from what ranks wrote
  std::string run_id;
  int64_t attempt = 0;
  std::optional<int64_t> world_size;
  RankRanges cause;                 ///< the ranks to exclude or to look at
  std::optional<HangCall> call;     ///< the one that the cause has not entered, or that it made otherwise
  std::vector<HangCall> calls;      ///< where ranks made other calls under one number: each call with its ranks
  std::optional<uint64_t> since_ns; ///< CLOCK_REALTIME
  double waits_s = 0;               ///< since `since_ns`
  double quiet_s = 0;               ///< since the last event of any rank
  std::vector<HangRank> ranks;
  std::vector<HangCount> counts;
  std::optional<HangDivergence> divergence;
  std::vector<HangStack> stacks;
  std::vector<std::string> problems;
};

} // namespace commtap
