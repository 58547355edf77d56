// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "report/model/vocabulary.h"

namespace commtap {

/// Whether a job hangs.
enum class HangStatus : uint8_t {
  kHealthy, ///< the job goes on, or has ended without a rank that waited
  kWrong,   ///< the job goes on or has ended, but its ranks did not communicate alike
  kFailed,  ///< a rank crashed or failed, and the others ended or are about to
  kStuck,   ///< ranks wait for what cannot come, or has not come for a long time
  kUnknown, ///< the reports do not show it
};
template <>
struct EnumNames<HangStatus> : Named<HangStatus> {
  static constexpr const char* kHelp =
      "healthy: the job goes on, or has ended well. wrong: its ranks communicate differently, and are not known to "
      "hang. failed: a rank crashed, and the others have not waited for it for long. stuck: ranks wait for what cannot "
      "come, or has not come for too long. unknown: the reports do not show it.";
  static constexpr auto kNames = std::to_array<std::string_view>({"healthy", "wrong", "failed", "stuck", "unknown"});
};
inline constexpr int kHangStatusCount = EnumNames<HangStatus>::kCount;
inline constexpr auto hangStatusName = EnumNames<HangStatus>::name;

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
  kMakingGroup,  ///< ranks are in the call that makes a process group
  kBlocked,      ///< a rank waits outside of communication
  kNotCome,      ///< a rank had not come when the job was ended
  kElsewhere,    ///< a rank of another machine has not come
  kComputing,    ///< a rank computes
  kNotCompleted, ///< all ranks have come
  kQuiet,        ///< no rank waits for another, and none makes progress
  kDamaged,      ///< a ledger is damaged
  kNotJoined,    ///< the ranks of the newest job have joined no process group
};
template <>
struct EnumNames<HangReason> : Named<HangReason> {
  static constexpr const char* kHelp = "Why; commtap help hangs lists the reasons.";
  static constexpr auto kValues = std::to_array<NamedValue>({
      {"none", "Nothing is wrong, or no process with a rank has left anything."},
      {"op", "Ranks of a group issued different collectives under one number."},
      {"size", "Ranks issued the same collective with different payloads."},
      {"dtype", "Ranks issued the same collective with different dtypes."},
      {"reduce_op", "Ranks issued the same collective with different reductions."},
      {"root", "Ranks issued the same collective with different roots."},
      {"skipped", "A rank left out a collective that the others issued, and went on with the next one."},
      {"extra", "A rank issued a collective that the others did not."},
      {"order", "Ranks issued the same two collectives in another order."},
      {"diverged",
       "Ranks of a group issued different collectives some time ago, before those that reports still hold."},
      {"unmatched", "A send and the receive that it meets have different payloads or dtypes."},
      {"cycle", "Ranks wait for each other."},
      {"killed", "A rank that others wait for was killed; or ranks were killed, and none waited."},
      {"exited", "A rank that others wait for has exited; or ranks exited with an error, and none waited."},
      {"stopped",
       "The process of a rank that others wait for, or may wait for, is stopped, by a signal or a debugger."},
      {"never_came", "A rank that others wait for has no report."},
      {"in_nccl", "A rank that others wait for is in a call to NCCL that has not returned."},
      {"making_group",
       "Ranks are in the call that makes a process group, which other ranks have not made, or made with other ranks."},
      {"blocked",
       "A rank that others wait for is blocked outside of communication: in input, output, a lock, a sleep."},
      {"not_come",
       "A rank that others waited for had not come when the job was ended. What it did until then is not known."},
      {"elsewhere", "A rank that others wait for is on another machine, and waits for nothing that its report holds."},
      {"computing", "A rank that others wait for computes."},
      {"not_completed", "All ranks have issued the same collective. Whether it completed is not known."},
      {"quiet", "No rank waits for another, and none makes progress."},
      {"damaged", "The ledger of a rank is damaged, so what it issued is not known."},
      {"not_joined", "Ranks of the newest job run, and have joined no process group."},
  });
  static constexpr auto kNames = namesOf(kValues);
};
inline constexpr auto hangReasonName = EnumNames<HangReason>::name;
inline constexpr auto hangReasonMeaning = EnumNames<HangReason>::meaning;
inline constexpr int kHangReasonCount = EnumNames<HangReason>::kCount;

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
template <>
struct EnumNames<RankState> : Named<RankState> {
  static constexpr const char* kHelp =
      "runs: it makes progress, or uses its processor. waits: in communication. blocked: it sleeps outside of "
      "communication. stopped: by a signal or a debugger. exited: by itself. killed: by a signal. never_came: it has "
      "no report. ended: it was alive until the job was ended, see `end`. unknown: it is on another machine, and waits "
      "for nothing that its report holds.";
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"runs", "waits", "blocked", "stopped", "exited", "killed", "never_came", "ended", "unknown"});
};
inline constexpr auto rankStateName = EnumNames<RankState>::name;

/// Whether a rank is why others wait.
enum class RankRole : uint8_t { kCause, kVictim, kOther };
template <>
struct EnumNames<RankRole> : Named<RankRole> {
  static constexpr const char* kHelp =
      "cause: others wait for it, or it exited with an error. victim: it waits for a cause, or for a victim.";
  static constexpr auto kNames = std::to_array<std::string_view>({"cause", "victim", "other"});
};
inline constexpr auto rankRoleName = EnumNames<RankRole>::name;

} // namespace commtap
