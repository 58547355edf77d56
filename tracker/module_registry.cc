// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/module_registry.h"

#include <algorithm>
#include <utility>

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
  const auto known = by_name_.find(nameKey(parent, component));
  if (known == by_name_.end()) {
    return addLocked(parent, component, class_name, role, wrapper);
  }
  const Node& same_name = nodes_[known->second];
  return !same_name.alive && same_name.role == role ? liveAgain(known->second)
                                                    : addNumbered(parent, component, class_name, role, wrapper);
}

/// A job may have any number of modules of one name: this one is not compared with each of them.
uint32_t ModuleRegistry::addNumbered(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    ModuleRole role,
    bool wrapper) {
  Namesakes& namesakes = namesakes_[nameKey(parent, component)];
  const auto dead = std::find_if(
      namesakes.dead.begin(), namesakes.dead.end(), [&](uint32_t module) { return nodes_[module].role == role; });
  if (dead != namesakes.dead.end()) {
    return liveAgain(namesakes.dead.extract(dead).value());
  }
  uint32_t number = namesakes.last;
  std::string unique;
  do {
    unique = std::string(component) + "#" + std::to_string(++number);
  } while (by_name_.count(nameKey(parent, unique)) > 0); // the job has named one so itself
  const uint32_t id = addLocked(parent, unique, class_name, role, wrapper);
  if (id != parent) { // else the table is full
    namesakes.last = number;
    nodes_[id].namesakes = &namesakes;
  }
  return id;
}

/// Another module has taken the name of one that died, and with it the id.
uint32_t ModuleRegistry::liveAgain(uint32_t module) {
  forgetOwned(module);
  nodes_[module].alive = true;
  nodes_[module].inherited = true;
  return module;
}

uint32_t ModuleRegistry::addLocked(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    ModuleRole role,
    bool wrapper) {
  const uint32_t id =
      Recorder::ledger().addModule(parent, component, class_name, wrapper ? kModuleWrapperComponent : 0);
  if (id == kNoIndex) {
    return parent;
  }
  if (nodes_.size() <= id) {
    nodes_.resize(id + 1);
  }
  Node& added = nodes_[id];
  added = Node{};
  added.parent = parent;
  added.component = component;
  added.role = role;
  added.wrapper = wrapper;
  added.alive = true;
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
  return module == kGlobalModule || (found != nullptr && found->parent != kNoModule);
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
  moved->namesakes = nullptr;
  by_name_[nameKey(parent, component)] = module;
  fsdp2_units_.clear();
  Recorder::ledger().reparentModule(module, parent, component);
}

void ModuleRegistry::died(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Node* dead = node(module)) {
    dead->alive = false;
    if (dead->namesakes != nullptr) {
      dead->namesakes->dead.insert(module);
    }
  }
}

void ModuleRegistry::forgetOwned(uint32_t module) {
  for (const void* address : nodes_[module].owned) {
    for (Owners* owners : {&tensor_owners_, &storage_owners_}) {
      const auto owner = owners->find(address);
      if (owner != owners->end() && owner->second == module) {
        owners->erase(owner);
      }
    }
  }
  nodes_[module].owned = {};
}

void ModuleRegistry::forgetOwnedByDead() {
  for (uint32_t module = 0; module < nodes_.size(); ++module) {
    if (!nodes_[module].alive) {
      forgetOwned(module);
    }
  }
  forget_at_ = std::max(kForgetAt, 2 * tensor_owners_.size());
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
  Node* owner = node(module);
  for (const auto& [owners, address] : {std::pair(&tensor_owners_, tensor), {&storage_owners_, storage}}) {
    if (address != nullptr && owner != nullptr) {
      (*owners)[address] = module;
      owner->owned.push_back(address);
    }
  }
  if (tensor_owners_.size() >= forget_at_) {
    forgetOwnedByDead();
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

size_t ModuleRegistry::ownedTensors() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tensor_owners_.size();
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
