// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/members.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
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

/// Finds the modules whose parameters a row's collectives carry.
class MemberFinder {
 public:
  explicit MemberFinder(Report& report) : report_(report) {
    for (const Module& module : report.modules) {
      by_id_.emplace(module.id, &module);
      if (!module.parameters.empty()) {
        carried_[unitOf(module)].push_back(&module);
      }
    }
  }

  void add(uint64_t row) {
    const Collective& collective = report_.collectives[row];
    const auto carried = carried_.find(collective.module);
    const bool is_gather = collective.kind == Kind::kAllGather;
    const bool is_sharded = is_gather || collective.kind == Kind::kReduceScatter;
    if (carried == carried_.end() || (!is_sharded && collective.kind != Kind::kAllReduce) ||
        (!is_gather && collective.phase != Phase::kBackward)) {
      return;
    }
    const Group* group = groupNamed(report_, collective.group);
    const uint64_t unit = bytesOf(collective.dtype) * collective.count;
    std::vector<Member> members;
    uint64_t padding = 0;
    uint64_t all = 0;
    for (const Module* module : carried->second) {
      Elements elements;
      for (const Parameter& parameter : module->parameters) {
        if (!parameter.requires_grad && !is_gather) {
          continue;
        }
        if (!is_sharded) {
          elements.own += parameter.placements.empty() ? productOf(parameter.shape) : 0;
        } else if (!addSharded(parameter, group == nullptr ? 0 : group->size, elements)) {
          return;
        }
      }
      padding += elements.padding * unit;
      all += (elements.own + elements.padding) * unit;
      if (elements.own > 0) {
        members.push_back({row, module->name, elements.own * unit, {}});
      }
    }
    if (padding > 0) {
      members.push_back({row, "", padding, {}});
    }
    if (all == collective.bytes && all > 0 && report_.members.size() + members.size() <= kMostMembers) {
      report_.members.insert(report_.members.end(), members.begin(), members.end());
    }
  }

 private:
  /// Returns the clean name of the nearest FSDP2 unit, else of the DDP model that the module belongs to; "" for
  /// neither.
  std::string unitOf(const Module& module) const {
    const Module* at = &module;
    for (size_t depth = 0; at != nullptr && depth <= report_.modules.size(); ++depth) {
      if (hasWrapper(*at, kFsdp2) || hasWrapper(*at, kDdp)) {
        return at->name;
      }
      const auto parent = at->parent ? by_id_.find(*at->parent) : by_id_.end();
      at = parent == by_id_.end() ? nullptr : parent->second;
    }
    return "";
  }

  Report& report_;
  std::unordered_map<uint32_t, const Module*> by_id_;
  std::unordered_map<std::string, std::vector<const Module*>> carried_; ///< by the unit's clean name
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
