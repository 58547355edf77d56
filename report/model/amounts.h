// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/model/model.h"

namespace commtap {

struct Amount {
  uint64_t count = 0;
  uint64_t bytes = 0;
  double bus_bytes = 0;

  Amount& operator+=(const Amount& other);
  bool operator==(const Amount&) const = default;
};

struct PhaseKind {
  Phase phase = Phase::kOther;
  Kind kind = Kind::kOther;

  auto operator<=>(const PhaseKind&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

using Amounts = std::map<PhaseKind, Amount>;

/// Returns the sum of a phase and kind; nullopt means all.
Amount sumOf(const Amounts& amounts, std::optional<Phase> phase, std::optional<Kind> kind);

/// Returns the sum over all kinds and groups of the step, without a kind and a group.
StepAmount sumOf(const Step& step);

/// The number of a process's first step in a row of steps, and how many they are; 0 for a row outside of the training
/// steps, which has the number of the next one.
using StepPlace = std::pair<uint64_t, uint64_t>;

/// Returns the place of each row: in a process that trains, only training steps have numbers, so that ranks have the
/// same ones for them whatever else they do.
std::vector<StepPlace> placesOf(std::span<const Step> steps);

/// Returns the number of steps of a process, as stepsOf() of report/job/step_count.h counts those of a job.
uint64_t stepsOf(const Report& report);

/// Returns the number of steps that the process has ended, or in which an optimizer has stepped; nullopt if it has
/// counted none.
std::optional<uint64_t> endedSteps(const Report& report);

/// Whether the group has a description; PyTorch's word for none is "undefined".
bool isDescribed(const Group& group);
/// Returns the description; the group's name if it has none.
const std::string& groupTitle(const Group& group);

/// Identifies a group on all of its ranks: its name in a report depends on the other groups that the process made.
struct GroupIdentity {
  std::string title; ///< groupTitle(); PyTorch's own name for the second group of one name
  uint32_t nth = 1;  ///< the process's n-th group with this title and these ranks: a job may make its groups again
};
/// Returns the identities of a report's groups, in their order.
std::vector<GroupIdentity> identitiesOf(const std::vector<Group>& groups);
/// Returns nullptr if the report has no group of this name.
const Group* groupNamed(const Report& report, const std::string& name);
/// Returns the title of the group with this name; the name itself if the report has no such group.
const std::string& groupTitle(const Report& report, const std::string& name);
const std::string& groupTitle(const Report& report, std::string&& name) = delete;

} // namespace commtap
