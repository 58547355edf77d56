// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
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

/// What `amounts` holds of a phase and kind; nullopt stands for all.
Amount sumOf(const Amounts& amounts, std::optional<Phase> phase, std::optional<Kind> kind);

/// All that the step communicated; of no kind and no group.
StepAmount sumOf(const Step& step);

/// Whether a group has a description of its own; PyTorch's word for none is "undefined".
bool isDescribed(const Group& group);
/// The description; the group's own name if it has none.
const std::string& groupTitle(const Group& group);
/// nullptr if the report has none of this name.
const Group* groupNamed(const Report& report, const std::string& name);
/// That of the group which has this name in the report; the name itself if there is none.
const std::string& groupTitle(const Report& report, const std::string& name);
const std::string& groupTitle(const Report& report, std::string&& name) = delete;

/// A group's totals. Groups of one description, backend and size are one: the four "tp" groups of a mesh are "tp".
struct GroupTotals {
  std::string name; ///< groupTitle
  std::string backend;
  uint32_t size = 0;
  std::vector<std::vector<uint32_t>> ranks; ///< of each group, sorted; without those whose ranks are not known
  Amounts amounts;
};

/// A module of the job. A wrapper and what it wraps have one clean name and are one module.
struct ModuleTotals {
  std::string name;
  std::string class_name; ///< the innermost's, which is the one that the user wrote
  size_t parent = 0;      ///< index; Global's is its own
  uint32_t depth = 0;     ///< Global 0
  CallsByPhase calls{};   ///< of a wrapper and its module the larger
  Amounts own;            ///< exclusive
  Amounts inclusive;      ///< with all modules below

  /// The name below the parent: "net1" of "MLPModule.net1".
  std::string label(const std::vector<ModuleTotals>& modules) const;
};

struct Totals {
  Amounts job;
  std::vector<GroupTotals> groups;   ///< most bytes first
  std::vector<ModuleTotals> modules; ///< Global first, then depth first: children follow their parent
};

/// Adds up any number of processes; a module or group of several is counted once, with the sum of all.
Totals totalsOf(std::span<const Report* const> reports);

} // namespace commtap
