// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace commtap {

/// The effect of a collective on the data, whichever op and backend implement it. The numbers are part of the ledger
/// format.
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

/// The part of the training step that issued a collective. The numbers are part of the ledger format.
enum class Phase : uint8_t {
  kForward,   ///< inside a module call
  kBackward,  ///< called by the autograd engine
  kRecompute, ///< inside a module call that the autograd engine runs (activation checkpointing)
  kOptimizer, ///< inside an optimizer step
  kOther,     ///< everything else: setup, checkpoints, metrics
};
inline constexpr int kPhaseCount = 5;

/// Whether the caller asked for an asynchronous collective. Unknown for send and recv, which have no such argument.
enum class AsyncOp : uint8_t { kNo, kYes, kUnknown };

/// How the process ended, as far as commtap can know.
enum class ExitKind : uint8_t {
  kRunning,        ///< the process has not ended
  kNormal,         ///< returned from main or called exit()
  kUnderscoreExit, ///< _exit, _Exit, quick_exit, os._exit
  kSignal,         ///< abort(), or a deadly signal that the process sent to itself
  kKilled,         ///< ended without running commtap's code: a signal from outside, a crash
  kAfterWork,      ///< the same, after its work had ended: its numbers are whole
};
inline constexpr int kExitKindCount = 6;
/// Returns true for a process whose end commtap did not see.
constexpr bool isEndUnseen(ExitKind exit) {
  return exit == ExitKind::kKilled || exit == ExitKind::kAfterWork;
}
/// Returns true for a process that returned or called a function to exit: it has an exit status.
constexpr bool exitsByItself(ExitKind exit) {
  return exit == ExitKind::kNormal || exit == ExitKind::kUnderscoreExit;
}

/// The ops that are counted in addition to collectives. The numbers are part of the ledger format.
enum class Level : uint8_t {
  kCollectives, ///< no other ops
  kDtensor,     ///< ops called with a DTensor
  kOps,         ///< all ops
};

/// The progress of one collective. The numbers are part of the ledger format.
enum class LastState : uint8_t {
  kIssued,    ///< the call has not returned
  kReturned,  ///< the call has returned; whether the collective still runs is unknown
  kCompleted, ///< the collective has completed
  kFailed,    ///< the collective ended with an error
};
inline constexpr int kLastStateCount = 4;

/// The sign by which a process found the end of its steps. The numbers are part of the ledger format, where 0 stands
/// for none.
enum class StepSign : uint8_t {
  kMark,       ///< the job's own mark
  kOptimizer,  ///< an optimizer has stepped
  kZeroGrad,   ///< an optimizer has cleared its gradients
  kParameters, ///< a parameter has changed
  kForward,    ///< a forward without gradients
};
inline constexpr int kStepSignCount = 5;

/// Returns true for sends and receives, which groups number apart from collectives.
constexpr bool isPointToPoint(Kind kind) {
  return kind == Kind::kSend || kind == Kind::kRecv;
}
/// Returns true if each rank gets a sum, mean or the like, or its part of one.
constexpr bool isReductionForAll(Kind kind) {
  return kind == Kind::kAllReduce || kind == Kind::kReduceScatter;
}
/// Returns true if one rank of the group, the root, has another part than the others.
constexpr bool hasRoot(Kind kind) {
  return kind == Kind::kBroadcast || kind == Kind::kReduce || kind == Kind::kGather || kind == Kind::kScatter;
}
/// Returns true if all ranks of a group have the same payload. The ranks of an all_to_all may have different splits.
constexpr bool hasEqualBytes(Kind kind) {
  return kind != Kind::kAllToAll;
}

std::string_view kindName(Kind kind);
std::string_view phaseName(Phase phase);
std::string_view exitKindName(ExitKind exit);

std::string_view lastStateName(LastState state);
std::string_view stepSignName(StepSign sign);

std::optional<Kind> kindFromName(std::string_view name);
std::optional<Phase> phaseFromName(std::string_view name);
std::optional<ExitKind> exitKindFromName(std::string_view name);
std::optional<LastState> lastStateFromName(std::string_view name);
std::optional<StepSign> stepSignFromName(std::string_view name);

/// Returns the bytes that cross the busiest link for `bytes` of payload in a group of `group_size` ranks: the payload
/// times the bus bandwidth factor of nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md). Returns 0 for a group of one
/// rank, whose collectives move nothing. For an unknown size (0), uses the limit of the factor for many ranks.
double busBytes(Kind kind, uint64_t bytes, uint32_t group_size);

} // namespace commtap
