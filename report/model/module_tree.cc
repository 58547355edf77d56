// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/module_tree.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace commtap {
namespace {

/// Finds the modules of one report by id. An id is not necessarily an index in the report's list.
class ReportModules {
 public:
  explicit ReportModules(const Report& report) : count_(report.modules.size()) {
    for (const Module& module : report.modules) {
      by_id_.emplace(module.id, &module);
    }
  }

  const Module* parentOf(const Module& module) const {
    const auto parent = module.parent ? by_id_.find(*module.parent) : by_id_.end();
    return parent == by_id_.end() ? nullptr : parent->second;
  }

  /// Returns the nearest ancestor with another clean name: the module's parent in the clean tree.
  const Module* cleanParentOf(const Module& module) const {
    const Module* parent = parentOf(module);
    for (size_t step = 0; parent != nullptr && parent->name == module.name; ++step) {
      parent = step < count_ ? parentOf(*parent) : nullptr;
    }
    return parent;
  }

 private:
  size_t count_;
  std::unordered_map<uint32_t, const Module*> by_id_;
};

/// Adds the wrappers of a module to those of all modules of its name: after them if one of these wraps it.
void addWrappers(const Module& module, bool wrapped, std::vector<std::string>& all) {
  auto place = wrapped ? all.end() : all.begin();
  for (const std::string& wrapper : module.wrappers) {
    if (std::find(all.begin(), all.end(), wrapper) == all.end()) {
      place = all.insert(place, wrapper) + 1;
    }
  }
}

} // namespace

ModuleCalls cleanCalls(const Report& report) {
  ModuleCalls most;
  for (const Module& module : report.modules) {
    auto& calls = most[module.name];
    for (int phase = 0; phase < kPhaseCount; ++phase) {
      calls[phase] = std::max(calls[phase], module.calls[phase]);
    }
  }
  return most;
}

ModuleTree::ModuleTree() {
  indexOf(kGlobalName);
}

size_t ModuleTree::indexOf(const std::string& name) {
  const auto [entry, is_new] = index_.emplace(name, modules_.size());
  if (is_new) {
    modules_.emplace_back().name = name;
    placed_.push_back(false);
  }
  return entry->second;
}

std::string ModuleNode::label(const std::string& parent_name) const {
  const std::string prefix = parent_name + ".";
  return name.size() > prefix.size() && name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

void ModuleTree::add(const Report& report) {
  const ReportModules modules(report);
  for (const Module& module : report.modules) {
    const size_t index = indexOf(module.name);
    const Module* above = modules.parentOf(module);
    const bool wrapped = above != nullptr && above->name == module.name;
    if (modules_[index].class_name.empty() || wrapped) {
      modules_[index].class_name = module.class_name;
    }
    addWrappers(module, wrapped, modules_[index].wrappers);
    const Module* parent = modules.cleanParentOf(module);
    if (index != 0 && parent != nullptr && !placed_[index]) {
      const size_t parent_index = indexOf(parent->name);
      modules_[index].parent = parent_index;
      placed_[index] = true;
    }
  }
}

/// Appends the subtree of `root` to `order` depth first and sets depths. Iterative: a report can nest modules deeply
/// enough to overflow the stack.
void ModuleTree::orderFrom(size_t root, const std::vector<std::vector<size_t>>& children, std::vector<size_t>& order) {
  std::vector<size_t> open = {root};
  while (!open.empty()) {
    const size_t index = open.back();
    open.pop_back();
    if (ordered_[index]) {
      continue;
    }
    ordered_[index] = true;
    order.push_back(index);
    modules_[index].depth = index == 0 ? 0 : modules_[modules_[index].parent].depth + 1;
    open.insert(open.end(), children[index].rbegin(), children[index].rend());
  }
}

std::vector<size_t> ModuleTree::depthFirst() {
  std::vector<std::vector<size_t>> children(modules_.size());
  for (size_t i = 1; i < modules_.size(); ++i) {
    children[modules_[i].parent].push_back(i);
  }
  ordered_.assign(modules_.size(), false);
  std::vector<size_t> order;
  orderFrom(0, children, order);
  for (size_t i = 1; i < modules_.size(); ++i) {
    if (!ordered_[i]) {
      modules_[i].parent = 0;
      orderFrom(i, children, order);
    }
  }
  return order;
}

std::vector<ModuleNode> ModuleTree::take() {
  std::vector<size_t> position(modules_.size());
  std::vector<ModuleNode> sorted;
  for (const size_t index : depthFirst()) {
    position[index] = sorted.size();
    sorted.push_back(std::move(modules_[index]));
    sorted.back().parent = position[sorted.back().parent];
    sorted.back().inclusive = sorted.back().own;
  }
  for (size_t i = sorted.size(); i-- > 1;) {
    for (const auto& [key, amount] : sorted[i].inclusive) {
      sorted[sorted[i].parent].inclusive[key] += amount;
    }
  }
  return sorted;
}

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

namespace {

std::vector<std::string> componentsOf(const std::string& name) {
  std::vector<std::string> components(1);
  for (const char c : name) {
    if (c == '.') {
      components.emplace_back();
    } else {
      components.back() += c;
    }
  }
  return components;
}

std::string joined(const std::vector<std::string>& components) {
  std::string name;
  for (size_t i = 0; i < components.size(); ++i) {
    name += (i == 0 ? "" : ".") + components[i];
  }
  return name;
}

bool isNumber(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::string skeletonOf(const std::string& module) {
  std::vector<std::string> components = componentsOf(module);
  std::replace_if(components.begin(), components.end(), isNumber, "*");
  return joined(components);
}

std::string patternOf(std::span<const std::string> modules) {
  std::vector<std::string> pattern = componentsOf(modules.front());
  for (const std::string& module : modules.subspan(1)) {
    const std::vector<std::string> components = componentsOf(module);
    for (size_t i = 0; i < std::min(pattern.size(), components.size()); ++i) {
      if (pattern[i] != components[i]) {
        pattern[i] = "*";
      }
    }
  }
  return joined(pattern);
}

} // namespace commtap
