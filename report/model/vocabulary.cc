// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/vocabulary.h"

#include <array>
#include <cstddef>

namespace commtap {
namespace {

constexpr std::array<std::string_view, kKindCount> kKindNames = {
    "all_reduce",
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
    "other",
};
constexpr std::array<std::string_view, kPhaseCount> kPhaseNames = {
    "forward",
    "backward",
    "recompute",
    "optimizer",
    "other",
};
constexpr std::array<std::string_view, kExitKindCount> kExitKindNames = {
    "running",
    "normal",
    "_exit",
    "signal",
    "killed",
    "after_work",
};
constexpr std::array<std::string_view, kLastStateCount> kLastStateNames = {
    "issued",
    "returned",
    "completed",
    "failed",
};
constexpr std::array<std::string_view, kStepSignCount> kStepSignNames = {
    "mark",
    "optimizer",
    "zero_grad",
    "parameters",
    "forward",
};

template <typename Enum, size_t N>
std::string_view nameOf(const std::array<std::string_view, N>& names, Enum value, std::string_view unknown) {
  const auto index = static_cast<size_t>(value);
  return index < N ? names[index] : unknown;
}

template <typename Enum, size_t N>
std::optional<Enum> fromName(const std::array<std::string_view, N>& names, std::string_view name) {
  for (size_t i = 0; i < N; ++i) {
    if (names[i] == name) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

/// Returns the factor that nccl-tests multiply algorithm bandwidth by to get bus bandwidth.
double busFactor(Kind kind, uint32_t group_size) {
  const double others = group_size == 0 ? 1.0 : (group_size - 1.0) / group_size;
  switch (kind) {
    case Kind::kAllReduce:
      return 2.0 * others;
    case Kind::kAllGather:
    case Kind::kReduceScatter:
    case Kind::kAllToAll:
    case Kind::kGather:
    case Kind::kScatter:
      return others;
    case Kind::kBroadcast:
    case Kind::kReduce:
    case Kind::kSend:
    case Kind::kRecv:
      return group_size == 1 ? 0.0 : 1.0;
    case Kind::kBarrier:
    case Kind::kOther:
      return 0.0;
  }
  return 0.0;
}

} // namespace

std::string_view kindName(Kind kind) {
  return nameOf(kKindNames, kind, "other");
}

std::string_view phaseName(Phase phase) {
  return nameOf(kPhaseNames, phase, "other");
}

std::string_view exitKindName(ExitKind exit) {
  return nameOf(kExitKindNames, exit, "killed");
}

std::string_view lastStateName(LastState state) {
  return nameOf(kLastStateNames, state, "issued");
}

std::string_view stepSignName(StepSign sign) {
  return nameOf(kStepSignNames, sign, "optimizer");
}

std::optional<Kind> kindFromName(std::string_view name) {
  return fromName<Kind>(kKindNames, name);
}

std::optional<Phase> phaseFromName(std::string_view name) {
  return fromName<Phase>(kPhaseNames, name);
}

std::optional<ExitKind> exitKindFromName(std::string_view name) {
  return fromName<ExitKind>(kExitKindNames, name);
}

std::optional<LastState> lastStateFromName(std::string_view name) {
  return fromName<LastState>(kLastStateNames, name);
}

std::optional<StepSign> stepSignFromName(std::string_view name) {
  return fromName<StepSign>(kStepSignNames, name);
}

double busBytes(Kind kind, uint64_t bytes, uint32_t group_size) {
  return static_cast<double>(bytes) * busFactor(kind, group_size);
}

} // namespace commtap
