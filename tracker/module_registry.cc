// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/module_registry.h"

#include "report/ledger_format.h"
#include "tracker/recorder.h"

namespace commtap {
namespace {

std::string nameKey(uint32_t parent, std::string_view component) {
  return std::to_string(parent) + "/" + std::string(component);
}

} // namespace

ModuleRegistry& ModuleRegistry::get() {
  static auto* instance = new ModuleRegistry(); // leaked: threads ask until the process is gone
  return *instance;
}

uint32_t ModuleRegistry::add(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    ModuleRole role,
    bool wrapper) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string unique(component);
  for (uint32_t nth = 2;; ++nth) {
    const auto known = by_name_.find(nameKey(parent, unique));
    if (known == by_name_.end()) {
      return addLocked(parent, unique, class_name, role, wrapper);
    }
    Node& same_name = nodes_[known->second];
    if (!same_name.alive && same_name.role == role) {
      same_name.alive = true;
      same_name.inherited = true;
      return known->second;
    }
    unique = std::string(component) + "#" + std::to_string(nth);
  }
}

uint32_t ModuleRegistry::addLocked(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    ModuleRole role,
    bool wrapper) {
  const uint32_t id =
      Recorder::get().ledger().addModule(parent, component, class_name, wrapper ? kModuleWrapperComponent : 0);
  if (id == kNoIndex) {
    return parent;
  }
  if (nodes_.size() <= id) {
    nodes_.resize(id + 1, Node{kNoIndex, "", ModuleRole::kPlain, false, false, false, false});
  }
  nodes_[id] = Node{parent, std::string(component), role, wrapper, true, false, false};
  by_name_[nameKey(parent, component)] = id;
  if (role == ModuleRole::kFsdp2) {
    fsdp2_units_.clear();
  }
  return id;
}

uint32_t ModuleRegistry::scope(uint32_t parent, std::string_view name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = by_name_.find(nameKey(parent, name));
  return known != by_name_.end() ? known->second : addLocked(parent, name, "", ModuleRole::kPlain, false);
}

bool ModuleRegistry::knows(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Node* found = node(module);
  return module == kGlobalModule || (found != nullptr && found->parent != kNoIndex);
}

std::string ModuleRegistry::nameOf(uint32_t module, ModuleName form) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return module == kGlobalModule ? "Global" : nameBelow(module, kGlobalModule, form == ModuleName::kRaw);
}

uint32_t ModuleRegistry::parentOf(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Node* found = node(module);
  return module == kGlobalModule || found == nullptr ? kGlobalModule : found->parent;
}

void ModuleRegistry::reparent(uint32_t module, uint32_t parent, std::string_view component) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Node* moved = node(module);
  // Only a root moves: a module that is registered in two places keeps its first name. One that has the name and the
  // rows of a dead module would take those along: it keeps its name too.
  if (moved == nullptr || moved->parent != kGlobalModule || moved->inherited ||
      by_name_.count(nameKey(parent, component)) > 0) {
    return;
  }
  by_name_.erase(nameKey(moved->parent, moved->component));
  moved->parent = parent;
  moved->component = component;
  by_name_[nameKey(parent, component)] = module;
  fsdp2_units_.clear();
  Recorder::get().ledger().reparentModule(module, parent, component);
}

void ModuleRegistry::died(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Node* dead = node(module)) {
    dead->alive = false;
  }
}

bool ModuleRegistry::wantsParameters(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Node* owner = node(module);
  if (owner == nullptr || owner->has_parameters) {
    return false;
  }
  owner->has_parameters = true;
  return true;
}

void ModuleRegistry::addParameter(uint32_t module, const void* tensor, const void* storage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (tensor != nullptr) {
    tensor_owners_[tensor] = module;
  }
  if (storage != nullptr) {
    storage_owners_[storage] = module;
  }
}

std::optional<uint32_t> ModuleRegistry::ownerOfTensor(const void* tensor) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = tensor_owners_.find(tensor);
  return found == tensor_owners_.end() ? std::nullopt : std::optional<uint32_t>(found->second);
}

std::optional<uint32_t> ModuleRegistry::ownerOfStorage(const void* storage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = storage_owners_.find(storage);
  return found == storage_owners_.end() ? std::nullopt : std::optional<uint32_t>(found->second);
}

std::optional<uint32_t> ModuleRegistry::nearest(uint32_t module, ModuleRole role) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ancestor(module, role, /*farthest=*/false);
}

std::optional<uint32_t> ModuleRegistry::farthest(uint32_t module, ModuleRole role) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ancestor(module, role, /*farthest=*/true);
}

std::optional<uint32_t> ModuleRegistry::ancestor(uint32_t module, ModuleRole role, bool farthest) {
  std::optional<uint32_t> found;
  for (const Node* at = node(module); at != nullptr && module != kGlobalModule; at = node(module)) {
    if (at->role == role) {
      found = module;
      if (!farthest) {
        break;
      }
    }
    module = at->parent;
  }
  return found;
}

std::string ModuleRegistry::nameBelow(uint32_t module, uint32_t root, bool raw) {
  std::string name;
  for (const Node* at = node(module); at != nullptr && module != root && module != kGlobalModule; at = node(module)) {
    if (raw || !at->wrapper) {
      name.insert(0, name.empty() ? at->component : at->component + ".");
    }
    module = at->parent;
  }
  return module == root ? name : "?";
}

std::optional<uint32_t> ModuleRegistry::fsdp2Unit(uint32_t hint, const std::string& unit) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::optional<uint32_t> root = ancestor(hint, ModuleRole::kFsdp2, /*farthest=*/true);
  if (!root || unit.empty()) {
    return root;
  }
  const std::string key = nameKey(*root, unit);
  if (const auto known = fsdp2_units_.find(key); known != fsdp2_units_.end()) {
    return known->second;
  }
  for (uint32_t id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].alive && (nameBelow(id, *root, true) == unit || nameBelow(id, *root, false) == unit)) {
      fsdp2_units_[key] = id;
      return id;
    }
  }
  return std::nullopt;
}

ForkLock ModuleRegistry::forkLock() {
  return {&get().mutex_, [] { new (&get()) ModuleRegistry(); }, "modules at a fork"};
}

} // namespace commtap
