// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace commtap {

/// The reason of an entry that a reader adds, not the process: parts of its ledger are damaged.
inline constexpr std::string_view kLedgerDamaged = "ledger_damaged";

/// Why something is missing from a report or incomplete. The numbers are part of the ledger format: add at the end,
/// never reorder.
enum class NotSeen : uint8_t {
  kCollectiveRowsFull,
  kModulesFull,
  kParametersFull,
  kGroupsFull,
  kStringsFull,
  kUnattributedBackward,
  kUnattributedParameter,
  kUnknownOwner,
  kUnknownOp,
  kUnknownGroup,
  kUnwatchedOp,
  kModuleHookMissing,
  kModuleFactsMissing,
  kModuleStackTooDeep,
  kInternalError,
  kOperationRowsFull,
  kStepsFull,
  kTimesFull,
  kUntimed,
  kNcclFull,
  kUnknownCommunicator,
  kGraphTableFull,
  kGroupRanksFull,
  kSwitchedOff,
  kSymmetricMemory,
  kDeviceCommunicators,
  kNcclWindows,
  kDeviceLibraries,
  kFramesUnread,
  kTorchLayout,
  kCompiledUnattributed,
  kMembersUnknown,
  kUnsampledParameters,
  kSamplesLost,
  kSplitsFull,
  kStallsFull,
};
inline constexpr int kNotSeenCount = 36;

/// Returns the reason's name in the report: `not_seen[].reason`.
std::string_view notSeenName(NotSeen reason);

/// Returns one sentence for the report's reader: what the count means and how it affects the other numbers.
std::string_view notSeenMeaning(NotSeen reason);

} // namespace commtap
