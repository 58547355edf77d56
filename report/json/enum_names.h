// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "report/model/nccl.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// Names the values of an enumeration in JSON documents. `kHelp`: the meaning of a field of the type.
template <typename Enum>
struct EnumNames;

template <>
struct EnumNames<Kind> {
  static constexpr const char* kHelp =
      "What a collective does to the data, whichever op and backend do it. `other`: an op that this version does not "
      "know, or one that the user named in COMMTAP_OPS.";
  static constexpr int kCount = kKindCount;
  static constexpr auto name = kindName;
  static constexpr auto fromName = kindFromName;
};
template <>
struct EnumNames<Phase> {
  static constexpr const char* kHelp =
      "When in a training step. forward: inside a module call. backward: run by the autograd engine. recompute: inside "
      "a module call that the autograd engine runs (activation checkpointing). optimizer: inside an optimizer's step. "
      "other: everything else (set-up, checkpoints, metrics, pipeline schedules).";
  static constexpr int kCount = kPhaseCount;
  static constexpr auto name = phaseName;
  static constexpr auto fromName = phaseFromName;
};
template <>
struct EnumNames<ExitKind> {
  static constexpr const char* kHelp = "How a process ended.";
  static constexpr int kCount = kExitKindCount;
  static constexpr auto name = exitKindName;
  static constexpr auto fromName = exitKindFromName;
};
template <>
struct EnumNames<LastState> {
  static constexpr const char* kHelp = "The state of a collective.";
  static constexpr int kCount = kLastStateCount;
  static constexpr auto name = lastStateName;
  static constexpr auto fromName = lastStateFromName;
};
template <>
struct EnumNames<StepSign> {
  static constexpr const char* kHelp = "What ended the steps.";
  static constexpr int kCount = kStepSignCount;
  static constexpr auto name = stepSignName;
  static constexpr auto fromName = stepSignFromName;
};
template <>
struct EnumNames<NcclSource> {
  static constexpr const char* kHelp = "How commtap learned of a call.";
  static constexpr int kCount = kNcclSourceCount;
  static constexpr auto name = ncclSourceName;
  static constexpr auto fromName = ncclSourceFromName;
};

/// True for an enumeration that documents write as its name.
template <typename Enum>
concept NamedEnum = requires {
  EnumNames<Enum>::kCount;
};

} // namespace commtap
