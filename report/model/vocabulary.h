// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commtap {

/// What a collective does to the data, whatever op and backend do it. The numbers are part of the ledger format.
enum class Kind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kSend,
  kRecv,
  kBarrier,
  kOther,
};
inline constexpr int kKindCount = 12;

/// When in a training step a collective was issued. The numbers are part of the ledger format.
enum class Phase : uint8_t {
  kForward,   ///< inside a module call
  kBackward,  ///< run by the autograd engine
  kRecompute, ///< inside a module call that the autograd engine runs (activation checkpointing)
  kOptimizer, ///< inside an optimizer step
  kOther,     ///< set-up, checkpoints, metrics, everything else
};
inline constexpr int kPhaseCount = 5;

/// Whether the caller asked for an asynchronous collective; send and recv do not say.
enum class AsyncOp : uint8_t { kNo, kYes, kUnknown };

/// How the process ended, as far as it could be told.
enum class ExitKind : uint8_t {
  kRunning,        ///< it has not ended
  kNormal,         ///< return from main or exit()
  kUnderscoreExit, ///< _exit, _Exit, quick_exit, os._exit
  kSignal,         ///< abort(), or a deadly signal sent to itself
  kKilled,         ///< it went away without a word: SIGKILL, OOM killer, a signal from outside
};
inline constexpr int kExitKindCount = 5;

/// Which ops are counted beside the collectives. The numbers are part of the ledger format.
enum class Level : uint8_t {
  kCollectives, ///< none
  kDtensor,     ///< those that are called with a DTensor
  kOps,         ///< all
};
inline constexpr int kLevelCount = 3;

/// How far one collective has come. The numbers are part of the ledger format.
enum class LastState : uint8_t {
  kIssued,    ///< the call has not returned
  kReturned,  ///< the call has returned; the collective may still run, and whether it does is not known
  kCompleted, ///< it is over
  kFailed,    ///< it ended in an error
};
inline constexpr int kLastStateCount = 4;

/// Sends and receives, which groups count apart from collectives.
constexpr bool isPointToPoint(Kind kind) {
  return kind == Kind::kSend || kind == Kind::kRecv;
}
/// Whether all ranks of a group have the same payload: all_to_all may have other splits on each.
constexpr bool hasEqualBytes(Kind kind) {
  return kind != Kind::kAllToAll;
}

std::string_view kindName(Kind kind);
std::string_view phaseName(Phase phase);
std::string_view exitKindName(ExitKind exit);

std::string_view levelName(Level level);
std::string_view lastStateName(LastState state);

std::optional<Kind> kindFromName(std::string_view name);
std::optional<Phase> phaseFromName(std::string_view name);
std::optional<ExitKind> exitKindFromName(std::string_view name);
std::optional<Level> levelFromName(std::string_view name);
std::optional<LastState> lastStateFromName(std::string_view name);

/// Bytes that cross the busiest link for `bytes` of payload in a group of `group_size` ranks: payload times the bus
/// bandwidth factor of nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md). 0 for a group of one rank, whose
/// collectives move nothing; a group of unknown size (0) counts with the factor's limit for many ranks.
double busBytes(Kind kind, uint64_t bytes, uint32_t group_size);

} // namespace commtap
