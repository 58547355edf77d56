// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "report/model/amounts.h"

namespace commtap {
namespace {

constexpr std::string_view kFsdp2 = "FSDPModule";
constexpr std::string_view kDdp = "DistributedDataParallel";

/// Returns the bytes of an element; 0 for a dtype that no model is trained in.
uint64_t bytesOf(const std::string& dtype) {
  static const std::map<std::string, uint64_t, std::less<>> kBytes = {
      {"float64", 8}, {"float32", 4}, {"float16", 2}, {"bfloat16", 2}};
  const auto found = kBytes.find(dtype);
  return found == kBytes.end() ? 0 : found->second;
}

/// The elements of a module's own parameters, and those that pad them for a group of ranks.
struct Elements {
  uint64_t own = 0;
  uint64_t padding = 0;
};

uint64_t productOf(const std::vector<int64_t>& shape) {
  uint64_t product = 1;
  for (const int64_t extent : shape) {
    product *= static_cast<uint64_t>(std::max<int64_t>(extent, 0));
  }
  return product;
}

/// FSDP2 pads the first dimension to a multiple of the ranks. Returns false for a parameter that is sharded otherwise.
bool addSharded(const Parameter& parameter, uint64_t ranks, Elements& elements) {
  const bool is_plain = parameter.placements.size() == 1 && parameter.placements[0] == "Shard(dim=0)";
  const uint64_t rows = parameter.shape.empty() ? 0 : static_cast<uint64_t>(std::max<int64_t>(parameter.shape[0], 0));
  if (!is_plain || rows == 0 || ranks == 0) {
    return false;
  }
  const uint64_t all = productOf(parameter.shape);
  elements.own += all;
  elements.padding += (rows + ranks - 1) / ranks * ranks * (all / rows) - all;
  return true;
}

bool hasWrapper(const Module& module, std::string_view wrapper) {
  return std::find(module.wrappers.begin(), module.wrappers.end(), wrapper) != module.wrappers.end();
}

bool isGatherOrScatter(Kind kind) {
  return kind == Kind::kAllGather || kind == Kind::kReduceScatter;
}

/// Finds the modules whose parameters a row's collectives carry.
class MemberFinder {
 public:
  explicit MemberFinder(Report& report) : report_(report) {
    for (const Module& module : report.modules) {
      by_id_.emplace(module.id, &module);
    }
    for (const Collective& collective : report.collectives) {
      if (isGatherOrScatter(collective.kind)) {
        gathered_.insert(collective.module);
      }
    }
    for (const Module& module : report.modules) {
      const Module* unit = module.parameters.empty() ? nullptr : unitOf(module);
      if (unit != nullptr) {
        addToUnit(module, *unit);
      }
    }
  }

  void add(uint64_t row) {
    const Collective& collective = report_.collectives[row];
    const bool is_gather = collective.kind == Kind::kAllGather;
    const bool is_sharded = isGatherOrScatter(collective.kind);
    if ((!is_sharded && collective.kind != Kind::kAllReduce) || (!is_gather && collective.phase != Phase::kBackward)) {
      return;
    }
    if (!addIfAll(row, carried_) && is_sharded) {
      addIfAll(row, in_shared_units_);
    }
  }

 private:
  using Modules = std::vector<const Module*>;
  using ByUnit = std::unordered_map<std::string, Modules>; ///< by the clean name that the unit's rows have

  /// An FSDP2 unit of several modules has its rows at an ancestor of these, so that none of them has rows of its own.
  void addToUnit(const Module& module, const Module& unit) {
    carried_[unit.name].push_back(&module);
    if (!hasWrapper(unit, kFsdp2) || gathered_.count(unit.name) > 0) {
      return;
    }
    const Module* around = nearest(parentOf(unit), [this](const Module& at) { return gathered_.count(at.name) > 0; });
    if (around != nullptr) {
      in_shared_units_[around->name].push_back(&module);
    }
  }

  /// Returns the elements of a module's own parameters that a row carries; nullopt if they are sharded otherwise.
  std::optional<Elements> elementsIn(const Collective& collective, const Module& module) const {
    const Group* group = groupNamed(report_, collective.group);
    Elements elements;
    for (const Parameter& parameter : module.parameters) {
      if (!parameter.requires_grad && collective.kind != Kind::kAllGather) {
        continue;
      }
      if (!isGatherOrScatter(collective.kind)) {
        elements.own += parameter.placements.empty() ? productOf(parameter.shape) : 0;
      } else if (!addSharded(parameter, group == nullptr ? 0 : group->size, elements)) {
        return std::nullopt;
      }
    }
    return elements;
  }

  /// Adds the modules of the row's unit as its members. Returns false if their sizes do not add up to its payload.
  bool addIfAll(uint64_t row, const ByUnit& modules_of) {
    const Collective& collective = report_.collectives[row];
    const auto modules = modules_of.find(collective.module);
    if (modules == modules_of.end()) {
      return false;
    }
    const uint64_t unit = bytesOf(collective.dtype) * collective.count;
    std::vector<Member> members;
    uint64_t padding = 0;
    uint64_t all = 0;
    for (const Module* module : modules->second) {
      const std::optional<Elements> elements = elementsIn(collective, *module);
      if (!elements) {
        return false;
      }
      padding += elements->padding * unit;
      all += (elements->own + elements->padding) * unit;
      if (elements->own > 0) {
        members.push_back({row, module->name, elements->own * unit, {}});
      }
    }
    if (padding > 0) {
      members.push_back({row, "", padding, {}});
    }
    const bool is_all = all == collective.bytes && all > 0;
    if (is_all && report_.members.size() + members.size() <= kMostMembers) {
      report_.members.insert(report_.members.end(), members.begin(), members.end());
    }
    return is_all;
  }

  const Module* parentOf(const Module& module) const {
    const auto parent = module.parent ? by_id_.find(*module.parent) : by_id_.end();
    return parent == by_id_.end() ? nullptr : parent->second;
  }

  /// Returns the first of a module and its ancestors that `fits` accepts; nullptr if there is none.
  template <typename Fits>
  const Module* nearest(const Module* module, const Fits& fits) const {
    for (size_t depth = 0; module != nullptr && depth <= report_.modules.size(); ++depth) {
      if (fits(*module)) {
        return module;
      }
      module = parentOf(*module);
    }
    return nullptr;
  }

  /// Returns the nearest FSDP2 unit, else the DDP model that the module belongs to; nullptr for neither.
  const Module* unitOf(const Module& module) const {
    return nearest(&module, [](const Module& at) { return hasWrapper(at, kFsdp2) || hasWrapper(at, kDdp); });
  }

  Report& report_;
  std::unordered_map<uint32_t, const Module*> by_id_;
  std::unordered_set<std::string> gathered_; ///< modules with rows that gather or scatter
  ByUnit carried_;
  ByUnit in_shared_units_; ///< modules of FSDP2 units of several modules
};

} // namespace

void setMembers(Report& report) {
  MemberFinder finder(report);
  std::vector<bool> has_members(report.collectives.size());
  for (const Member& member : report.members) {
    has_members[member.row] = true;
  }
  for (uint64_t row = 0; row < report.collectives.size(); ++row) {
    if (!has_members[row]) {
      finder.add(row);
    }
  }
  std::stable_sort(report.members.begin(), report.members.end(), [](const Member& one, const Member& other) {
    return one.row < other.row;
  });
}

} // namespace commtap
