// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace commtap {

/// Names the values of an enumeration in documents: `kNames` by number, and `kHelp`, the meaning of a field of the
/// type.
template <typename Enum>
struct EnumNames;

/// True for an enumeration that documents write as its name.
template <typename Enum>
concept NamedEnum = requires {
  EnumNames<Enum>::kHelp;
};

/// A value of an enumeration that has a sentence on each of its values, for a table of docs/.
struct NamedValue {
  std::string_view name;
  std::string_view meaning;
};

template <size_t kCount>
constexpr std::array<std::string_view, kCount> namesOf(const std::array<NamedValue, kCount>& values) {
  std::array<std::string_view, kCount> names;
  std::ranges::transform(values, names.begin(), &NamedValue::name);
  return names;
}

/// The functions that follow from the names of an enumeration, and from its `kValues` if it has these.
template <typename Enum>
struct Named {
  static constexpr std::string_view name(Enum value) {
    constexpr auto& kNames = EnumNames<Enum>::kNames;
    const auto index = static_cast<size_t>(value);
    return index < kNames.size() ? kNames[index] : kNames.back();
  }
  static constexpr std::optional<Enum> fromName(std::string_view name) {
    for (size_t i = 0; i < EnumNames<Enum>::kNames.size(); ++i) {
      if (EnumNames<Enum>::kNames[i] == name) {
        return static_cast<Enum>(i);
      }
    }
    return std::nullopt;
  }
  static constexpr std::string_view meaning(Enum value) {
    return EnumNames<Enum>::kValues.at(static_cast<size_t>(value)).meaning;
  }
  static constexpr int kCount = static_cast<int>(EnumNames<Enum>::kNames.size());
};

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
template <>
struct EnumNames<Kind> : Named<Kind> {
  static constexpr const char* kHelp =
      "What a collective does to the data, whichever op and backend do it. `other`: an op that this version does not "
      "know, or one that the user named in COMMTAP_OPS.";
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"all_reduce",
       "all_gather",
       "reduce_scatter",
       "all_to_all",
       "broadcast",
       "reduce",
       "gather",
       "scatter",
       "send",
       "recv",
       "barrier",
       "other"});
};
inline constexpr int kKindCount = EnumNames<Kind>::kCount;
inline constexpr auto kindName = EnumNames<Kind>::name;
inline constexpr auto kindFromName = EnumNames<Kind>::fromName;

/// The part of the training step that issued a collective. The numbers are part of the ledger format.
enum class Phase : uint8_t {
  kForward,   ///< inside a module call
  kBackward,  ///< called by the autograd engine
  kRecompute, ///< inside a module call that the autograd engine runs (activation checkpointing)
  kOptimizer, ///< inside an optimizer step
  kOther,     ///< everything else: setup, checkpoints, metrics
};
template <>
struct EnumNames<Phase> : Named<Phase> {
  static constexpr const char* kHelp =
      "When in a training step. forward: inside a module call. backward: run by the autograd engine. recompute: inside "
      "a module call that the autograd engine runs (activation checkpointing). optimizer: inside an optimizer's step. "
      "other: everything else (set-up, checkpoints, metrics, pipeline schedules).";
  static constexpr auto kNames =
      std::to_array<std::string_view>({"forward", "backward", "recompute", "optimizer", "other"});
};
inline constexpr int kPhaseCount = EnumNames<Phase>::kCount;
inline constexpr auto phaseName = EnumNames<Phase>::name;
inline constexpr auto phaseFromName = EnumNames<Phase>::fromName;

/// Whether the caller asked for an asynchronous collective. Unknown for send and recv, which have no such argument.
enum class AsyncOp : uint8_t { kNo, kYes, kUnknown };

/// How the process ended, as far as commtap can know.
enum class ExitKind : uint8_t {
  kRunning,        ///< the process has not ended
  kNormal,         ///< returned from main or called exit()
  kUnderscoreExit, ///< _exit, _Exit, quick_exit, os._exit
  kSignal,         ///< abort(), a deadly signal that the process sent to itself, or one that its parent found
  kKilled,         ///< ended without running commtap's code: a signal from outside, a crash
  kAfterWork,      ///< the same, after its work had ended: its numbers are whole
};
template <>
struct EnumNames<ExitKind> : Named<ExitKind> {
  static constexpr const char* kHelp = "How a process ended.";
  static constexpr auto kNames =
      std::to_array<std::string_view>({"running", "normal", "_exit", "signal", "killed", "after_work"});
  /// A value out of range says no more than that commtap did not see the end.
  static constexpr std::string_view name(ExitKind exit) {
    return Named::name(exit <= ExitKind::kAfterWork ? exit : ExitKind::kKilled);
  }
};
inline constexpr int kExitKindCount = EnumNames<ExitKind>::kCount;
inline constexpr auto exitKindName = EnumNames<ExitKind>::name;
inline constexpr auto exitKindFromName = EnumNames<ExitKind>::fromName;
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
template <>
struct EnumNames<LastState> : Named<LastState> {
  static constexpr const char* kHelp = "The state of a collective.";
  static constexpr auto kNames = std::to_array<std::string_view>({"issued", "returned", "completed", "failed"});
};
inline constexpr int kLastStateCount = EnumNames<LastState>::kCount;
inline constexpr auto lastStateName = EnumNames<LastState>::name;
inline constexpr auto lastStateFromName = EnumNames<LastState>::fromName;

/// The sign by which a process found the end of its steps. The numbers are part of the ledger format, where 0 stands
/// for none.
enum class StepSign : uint8_t {
  kMark,       ///< the job's own mark
  kOptimizer,  ///< an optimizer has stepped
  kZeroGrad,   ///< an optimizer has cleared its gradients
  kParameters, ///< a parameter has changed
  kForward,    ///< a forward without gradients
};
template <>
struct EnumNames<StepSign> : Named<StepSign> {
  static constexpr const char* kHelp = "What ended the steps.";
  static constexpr auto kNames =
      std::to_array<std::string_view>({"mark", "optimizer", "zero_grad", "parameters", "forward"});
};
inline constexpr int kStepSignCount = EnumNames<StepSign>::kCount;
inline constexpr auto stepSignName = EnumNames<StepSign>::name;
inline constexpr auto stepSignFromName = EnumNames<StepSign>::fromName;

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

/// Returns the bytes that cross the busiest link for `bytes` of payload in a group of `group_size` ranks: the payload
/// times the bus bandwidth factor of nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md). Returns 0 for a group of one
/// rank, whose collectives move nothing. For an unknown size (0), uses the limit of the factor for many ranks.
double busBytes(Kind kind, uint64_t bytes, uint32_t group_size);

} // namespace commtap
