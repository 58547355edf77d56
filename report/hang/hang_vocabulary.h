// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace commtap {

/// Whether a job hangs.
enum class HangStatus : uint8_t {
  kHealthy, ///< the job goes on, or has ended without a rank that waited
  kWrong,   ///< the job goes on or has ended, but its ranks did not communicate alike
  kFailed,  ///< a rank crashed or failed, and the others ended or are about to
  kStuck,   ///< ranks wait for what cannot come, or has not come for a long time
  kUnknown, ///< the reports do not show it
};
inline constexpr int kHangStatusCount = 5;

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
  kOrder,        ///< ranks made two collectives in another order
  kDiverged,     ///< ranks made other collectives some time ago
  kUnmatched,    ///< a send and its receive have other payloads or dtypes
  kCycle,        ///< ranks wait for each other
  kKilled,       ///< a rank was ended by a signal
  kExited,       ///< a rank has exited
  kStopped,      ///< a rank's process is stopped
  kNeverCame,    ///< a rank has no report
  kInNccl,       ///< a rank is in a call to NCCL
  kBlocked,      ///< a rank waits outside of communication
  kNotCome,      ///< a rank had not come when the job was ended
  kElsewhere,    ///< a rank of another machine has not come
  kComputing,    ///< a rank computes
  kNotCompleted, ///< all ranks have come
  kQuiet,        ///< no rank waits for another, and none makes progress
  kDamaged,      ///< a ledger is damaged
  kNotJoined,    ///< the ranks of the newest job have joined no process group
};
inline constexpr int kHangReasonCount = 25;

/// The state of a rank.
enum class RankState : uint8_t {
  kRuns,      ///< it makes progress, or uses its processor
  kWaits,     ///< in communication
  kBlocked,   ///< outside of communication: it sleeps
  kStopped,   ///< by a signal or a debugger
  kExited,    ///< by itself
  kKilled,    ///< by a signal
  kNeverCame, ///< it has no report
  kEnded,     ///< it was alive until the job was ended
  kUnknown,   ///< it is on another machine, and waits for nothing that the reports hold
};
inline constexpr int kRankStateCount = 9;

/// Whether a rank is why others wait.
enum class RankRole : uint8_t { kCause, kVictim, kOther };
inline constexpr int kRankRoleCount = 3;

std::string_view hangStatusName(HangStatus status);
std::string_view hangReasonName(HangReason reason);
/// Returns one sentence about the reason.
std::string_view hangReasonMeaning(HangReason reason);
std::string_view rankStateName(RankState state);
std::string_view rankRoleName(RankRole role);

} // namespace commtap
