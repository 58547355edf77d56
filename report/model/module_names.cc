// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/module_names.h"

#include <utility>

namespace commtap {
namespace {

/// Bounds the walk to the root: a damaged ledger could contain a cycle. No real hierarchy is as deep.
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxName = 64U << 10U; ///< bytes; a longer name keeps its last components

} // namespace

void ModuleNames::add(uint32_t parent, std::string component, bool wrapper, std::string clean) {
  nodes_.push_back({parent, std::move(component), wrapper, std::move(clean)});
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
      components.push_back(form == Form::kRaw || node.clean.empty() ? &node.component : &node.clean);
      length += components.back()->size() + 1;
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

} // namespace commtap
