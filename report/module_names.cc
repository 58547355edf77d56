// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/module_names.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace commtap {
namespace {

/// No real hierarchy is deeper; a damaged ledger could hold a loop.
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxName = 64U << 10U; ///< bytes; of a longer one the end is kept

auto keyOf(const Collective& row) {
  return std::tie(
      row.module, row.phase, row.op, row.kind, row.group, row.dtype, row.reduce_op, row.async_op, row.issued_in);
}

void mergeInto(Collective& row, Collective&& other) {
  row.count += other.count;
  row.bytes += other.bytes;
  row.bus_bytes += other.bus_bytes;
  row.time += other.time;
  for (const auto& [from_bytes, count] : other.sizes) {
    row.sizes[from_bytes] += count;
  }
  for (std::string& op : other.lowered) {
    if (std::find(row.lowered.begin(), row.lowered.end(), op) == row.lowered.end()) {
      row.lowered.push_back(std::move(op));
    }
  }
}

} // namespace

void ModuleNames::add(uint32_t parent, std::string component, bool wrapper) {
  nodes_.push_back({parent, std::move(component), wrapper});
}

std::string ModuleNames::name(uint32_t id, Form form) const {
  std::vector<const std::string*> components;
  size_t length = 0;
  for (size_t depth = 0; id < nodes_.size() && depth < kMaxDepth && length < kMaxName; ++depth) {
    const Node& node = nodes_[id];
    if (id == 0 && !components.empty()) {
      break;
    }
    if (form == Form::kRaw || !node.wrapper) {
      components.push_back(&node.component);
      length += node.component.size() + 1;
    }
    id = node.parent;
  }
  std::string name;
  for (auto component = components.rbegin(); component != components.rend(); ++component) {
    name += name.empty() ? "" : ".";
    name += **component;
  }
  return name;
}

std::string UniqueNames::make(const std::string& name) {
  const uint32_t nth = ++seen_[name];
  return nth == 1 ? name : name + "#" + std::to_string(nth);
}

void mergeEqualRows(std::vector<Collective>& rows) {
  // Rows are large: their order is sorted, and each is moved once.
  std::vector<Collective*> order;
  order.reserve(rows.size());
  for (Collective& row : rows) {
    order.push_back(&row);
  }
  std::stable_sort(
      order.begin(), order.end(), [](const Collective* a, const Collective* b) { return keyOf(*a) < keyOf(*b); });
  std::vector<Collective> merged;
  merged.reserve(rows.size());
  for (Collective* each : order) {
    Collective& row = *each;
    if (!merged.empty() && keyOf(merged.back()) == keyOf(row)) {
      mergeInto(merged.back(), std::move(row));
    } else {
      merged.push_back(std::move(row));
    }
  }
  rows = std::move(merged);
}

} // namespace commtap
