// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/module_registry.h"

#include <algorithm>
#include <utility>

#include "report/ledger/ledger_format.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

std::string nameKey(uint32_t parent, std::string_view component) {
  return std::to_string(parent) + "/" + std::string(component);
}

/// Returns nullopt for an unknown object or nullptr.
std::optional<uint32_t> ownerIn(const ObjectTable& owners, const void* object) {
  const uint32_t owner = owners.find(object);
  return owner == ObjectTable::kUnknown ? std::nullopt : std::optional<uint32_t>(owner);
}

} // namespace

ModuleRegistry& ModuleRegistry::get() {
  static auto* instance = new ModuleRegistry(); // leaked on purpose: threads call until the process exits
  return *instance;
}

uint32_t ModuleRegistry::add(const ModuleFacts& facts) {
  Released released;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = by_name_.find(nameKey(facts.parent, facts.component));
  if (known == by_name_.end()) {
    return addLocked(facts, facts.component);
  }
  return !nodes_[known->second].alive && canReuse(known->second, facts) ? liveAgain(known->second, released)
                                                                        : addNumbered(facts, released);
}

bool ModuleRegistry::canReuse(uint32_t module, const ModuleFacts& facts) const {
  return places_[module].role == facts.role && nodes_[module].clean_base == facts.clean;
}

/// Does not compare the new module with each namesake: a job may have any number of them.
uint32_t ModuleRegistry::addNumbered(const ModuleFacts& facts, Released& released) {
  Namesakes& namesakes = namesakes_[nameKey(facts.parent, facts.component)];
  const auto dead = std::find_if(
      namesakes.dead.begin(), namesakes.dead.end(), [&](uint32_t module) { return canReuse(module, facts); });
  if (dead != namesakes.dead.end()) {
    return liveAgain(namesakes.dead.extract(dead).value(), released);
  }
  uint32_t number = namesakes.last;
  std::string unique;
  do {
    unique = std::string(facts.component) + "#" + std::to_string(++number);
  } while (by_name_.count(nameKey(facts.parent, unique)) > 0); // the job itself uses this name
  const uint32_t id = addLocked(facts, unique);
  if (id != facts.parent) { // otherwise the table is full
    namesakes.last = number;
    nodes_[id].namesakes = &namesakes;
  }
  return id;
}

/// Returns the component in clean names. A wrapper has that of a root that it wraps: both are one module there.
std::string ModuleRegistry::uniqueClean(const ModuleFacts& facts) {
  if (isModule(facts.wrapped) && places_[facts.wrapped].parent == facts.parent &&
      !nodes_[facts.wrapped].clean.empty()) {
    return nodes_[facts.wrapped].clean;
  }
  if (facts.clean.empty() || clean_names_.insert(nameKey(facts.parent, facts.clean)).second) {
    return std::string(facts.clean);
  }
  uint32_t& number = clean_numbers_.try_emplace(nameKey(facts.parent, facts.clean), 1).first->second;
  std::string unique;
  do {
    unique = std::string(facts.clean) + "#" + std::to_string(++number);
  } while (!clean_names_.insert(nameKey(facts.parent, unique)).second);
  return unique;
}

/// Gives the names and id of a destroyed module to a new module.
uint32_t ModuleRegistry::liveAgain(uint32_t module, Released& released) {
  forgetOwned(module, released);
  nodes_[module].alive = true;
  nodes_[module].inherited = true;
  places_[module].has_reduced = false;
  return module;
}

uint32_t ModuleRegistry::addLocked(const ModuleFacts& facts, std::string_view component) {
  const std::string clean = uniqueClean(facts);
  const uint32_t id = ProcessLedger::ledger().addModule(
      facts.parent, component, facts.class_name, facts.wrapper ? kModuleWrapperComponent : 0, clean);
  if (id == kNoIndex) {
    return facts.parent;
  }
  if (nodes_.size() <= id) {
    places_.resize(id + 1); // first: isModule() reads nodes_, and either resize may throw
    nodes_.resize(id + 1);
  }
  places_[id] = {facts.parent, facts.role};
  if (facts.role == ModuleRole::kDdp) {
    has_had_ddp_.store(true, std::memory_order_relaxed);
  }
  Node& added = nodes_[id];
  added = Node{};
  added.component = component;
  added.clean = clean;
  added.clean_base = facts.clean;
  added.wrapper = facts.wrapper;
  added.alive = true;
  by_name_[nameKey(facts.parent, component)] = id;
  if (facts.role == ModuleRole::kFsdp2) {
    fsdp2_units_.clear();
  }
  return id;
}

uint32_t ModuleRegistry::scope(uint32_t parent, std::string_view name) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = by_name_.find(nameKey(parent, name));
  return known != by_name_.end() ? known->second : addLocked({.parent = parent, .component = name}, name);
}

bool ModuleRegistry::knows(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return module == kGlobalModule || (isModule(module) && places_[module].parent != kNoModule);
}

std::string ModuleRegistry::nameOf(uint32_t module, ModuleName form) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return module == kGlobalModule ? "Global" : nameBelow(module, kGlobalModule, form == ModuleName::kRaw);
}

uint32_t ModuleRegistry::parentOf(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return module == kGlobalModule || !isModule(module) ? kGlobalModule : places_[module].parent;
}

void ModuleRegistry::reparent(uint32_t module, uint32_t parent, std::string_view component, bool wrapper) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Only a root moves: a module registered in two places keeps its first name. So does a module that inherited the
  // rows of a destroyed one: a rename would move those rows.
  if (!isModule(module) || places_[module].parent != kGlobalModule || nodes_[module].inherited ||
      by_name_.count(nameKey(parent, component)) > 0) {
    return;
  }
  Node& moved = nodes_[module];
  by_name_.erase(nameKey(kGlobalModule, moved.component));
  moved.component = component;
  moved.namesakes = nullptr;
  by_name_[nameKey(parent, component)] = module;
  fsdp2_units_.clear();
  if (parent == kGlobalModule) {
    ProcessLedger::ledger().renameModule(module, component);
    return;
  }
  places_[module].parent = parent;
  if (nodes_[rootLocked(parent)].clean != moved.clean) { // else it moves below the wrapper that took its name
    clean_names_.erase(nameKey(kGlobalModule, moved.clean));
  }
  moved.clean.clear();
  moved.clean_base.clear();
  moved.wrapper = wrapper;
  ProcessLedger::ledger().reparentModule(module, parent, component, wrapper);
}

uint32_t ModuleRegistry::rootLocked(uint32_t module) const {
  while (isModule(module) && module != kGlobalModule && isModule(places_[module].parent) &&
         places_[module].parent != kGlobalModule) {
    module = places_[module].parent;
  }
  return module;
}

void ModuleRegistry::died(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isModule(module)) {
    return;
  }
  Node& dead = nodes_[module];
  dead.alive = false;
  if (dead.namesakes != nullptr) {
    dead.namesakes->dead.insert(module);
  }
}

void ModuleRegistry::forgetStorage(const StorageRef& storage, uint32_t module) {
  const c10::StorageImpl* object = storage._unsafe_get_target();
  if (storage_owners_.find(object) == module) {
    storage_owners_.remove(object);
  }
}

void ModuleRegistry::forgetOwned(uint32_t module, Released& released) {
  tensors_.removeOf(module, released.tensors);
  for (StorageRef& storage : std::exchange(nodes_[module].storages, {})) {
    forgetStorage(storage, module);
    released.storages.push_back(std::move(storage));
  }
}

/// A job may move a parameter in every step.
void ModuleRegistry::forgetFreed(uint32_t module, Released& released) {
  std::vector<StorageRef>& storages = nodes_[module].storages;
  const auto freed =
      std::partition(storages.begin(), storages.end(), [](const StorageRef& storage) { return !storage.expired(); });
  for (auto storage = freed; storage != storages.end(); ++storage) {
    forgetStorage(*storage, module);
    released.storages.push_back(std::move(*storage));
  }
  storages.erase(freed, storages.end());
}

void ModuleRegistry::forgetOwnedByDead(Released& released) {
  for (uint32_t module = 0; module < nodes_.size(); ++module) {
    if (!nodes_[module].alive) {
      forgetOwned(module, released);
    }
  }
  forget_at_ = std::max(kForgetAt, 2 * tensors_.size());
}

bool ModuleRegistry::wantsParameters(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return isModule(module) && !std::exchange(nodes_[module].has_parameters, true);
}

void ModuleRegistry::addParameter(uint32_t module, const c10::TensorImpl* tensor, const c10::Storage& storage) {
  Released released;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isModule(module)) {
    return;
  }
  if (tensor != nullptr && isTied(*tensor, module)) {
    return;
  }
  if (tensor != nullptr) {
    tensors_.add(*tensor, module);
  }
  ownStorage(storage, ownerOfShared(storage, module));
  if (tensors_.size() >= forget_at_) {
    forgetOwnedByDead(released);
  }
}

/// Returns whether another module of the same model has the parameter, too. The first keeps it and its memory, as in
/// named_parameters(): of an embedding and the output that shares its weight, its backward is the last one.
bool ModuleRegistry::isTied(const c10::TensorImpl& tensor, uint32_t module) const {
  const std::optional<uint32_t> other = tensors_.ownerOf(&tensor);
  return other && *other != module && nodes_[*other].alive && commonAncestorLocked(*other, module) != kGlobalModule;
}

void ModuleRegistry::ownStorage(const c10::Storage& storage, uint32_t module) {
  if (storage) {
    nodes_[module].storages.push_back(
        storage.getWeakStorageImpl()); // first: an address in the table must not be reused
    storage_owners_.insert(storage.unsafeGetStorageImpl(), module);
  }
}

/// Returns the owner of memory that gets a parameter of `module`: it may hold other modules' parameters already.
uint32_t ModuleRegistry::ownerOfShared(const c10::Storage& storage, uint32_t module) const {
  const std::optional<uint32_t> other = ownerIn(storage_owners_, storage.unsafeGetStorageImpl());
  if (!other || !isModule(*other) || !nodes_[*other].alive) {
    return module;
  }
  const uint32_t common = commonAncestorLocked(*other, module);
  return common == kGlobalModule ? module : common; // then two models share the memory: the last one has it
}

std::optional<uint32_t> ModuleRegistry::ownerOfTensor(const void* tensor) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tensors_.ownerOf(tensor);
}

std::optional<uint32_t> ModuleRegistry::ownerOfStorage(const c10::Storage& storage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ownerIn(storage_owners_, storage.unsafeGetStorageImpl());
}

std::optional<uint32_t> ModuleRegistry::ownerOfMoved(const c10::Storage& storage) {
  Released released;
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<uint32_t> owners =
      storage ? tensors_.ownersIn(*storage.unsafeGetStorageImpl()) : std::vector<uint32_t>();
  for (const uint32_t owner : owners) {
    const uint32_t shared = ownerOfShared(storage, owner);
    forgetFreed(shared, released);
    ownStorage(storage, shared);
  }
  return ownerIn(storage_owners_, storage.unsafeGetStorageImpl());
}

size_t ModuleRegistry::ownedTensors() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tensors_.size();
}

std::optional<uint32_t> ModuleRegistry::nearest(uint32_t module, ModuleRole role) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ancestor(module, role, /*farthest=*/false);
}

std::optional<uint32_t> ModuleRegistry::farthest(uint32_t module, ModuleRole role) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ancestor(module, role, /*farthest=*/true);
}

void ModuleRegistry::noteReduced(uint32_t ddp) {
  const std::lock_guard<std::mutex> lock(mutex_);
  places_[ddp].has_reduced = true;
}

std::vector<uint32_t> ModuleRegistry::ddps() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<uint32_t> found;
  for (uint32_t id = 1; id < nodes_.size(); ++id) {
    if (places_[id].role == ModuleRole::kDdp && nodes_[id].alive) {
      found.push_back(id);
    }
  }
  return found;
}

std::vector<uint32_t> ModuleRegistry::unreducedDdps() {
  std::vector<uint32_t> found = ddps();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(found, [this](uint32_t id) { return places_[id].has_reduced; });
  return found;
}

std::optional<uint32_t> ModuleRegistry::ancestor(uint32_t module, ModuleRole role, bool farthest) {
  std::optional<uint32_t> found;
  for (; isModule(module) && module != kGlobalModule; module = places_[module].parent) {
    if (places_[module].role == role) {
      found = module;
      if (!farthest) {
        break;
      }
    }
  }
  return found;
}

std::string ModuleRegistry::nameBelow(uint32_t module, uint32_t root, bool raw) {
  std::string name;
  for (; isModule(module) && module != root && module != kGlobalModule; module = places_[module].parent) {
    const Node& at = nodes_[module];
    if (raw || !at.wrapper) {
      const std::string& component = raw || at.clean.empty() ? at.component : at.clean;
      name.insert(0, name.empty() ? component : component + ".");
    }
  }
  return module == root ? name : "?";
}

uint32_t ModuleRegistry::rootOf(uint32_t module) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rootLocked(module);
}

uint32_t ModuleRegistry::commonAncestor(uint32_t one, uint32_t other) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return commonAncestorLocked(one, other);
}

uint32_t ModuleRegistry::commonAncestorLocked(uint32_t one, uint32_t other) const {
  for (; isModule(one) && one != kGlobalModule; one = places_[one].parent) {
    for (uint32_t above = other; isModule(above) && above != kGlobalModule; above = places_[above].parent) {
      if (above == one) {
        return one;
      }
    }
  }
  return kGlobalModule;
}

std::optional<uint32_t> ModuleRegistry::below(uint32_t module, std::string_view path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return isModule(module) ? belowLocked(module, path) : std::nullopt;
}

/// A component can hold dots: containers have no row of their own.
std::optional<uint32_t> ModuleRegistry::belowLocked(uint32_t module, std::string_view path) const {
  if (path.empty()) {
    return module;
  }
  for (size_t end = path.find('.');; end = path.find('.', end + 1)) {
    const bool is_whole = end == std::string_view::npos;
    const auto child = by_name_.find(nameKey(module, path.substr(0, end)));
    if (child != by_name_.end() && nodes_[child->second].alive) {
      const std::string_view rest = is_whole ? std::string_view() : path.substr(end + 1);
      if (const std::optional<uint32_t> found = belowLocked(child->second, rest)) {
        return found;
      }
    }
    if (is_whole) {
      return std::nullopt;
    }
  }
}

std::optional<uint32_t> ModuleRegistry::onlyBelowARoot(std::string_view path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<uint32_t> only;
  for (uint32_t id = 1; id < nodes_.size() && !path.empty(); ++id) {
    const bool is_root = nodes_[id].alive && places_[id].parent == kGlobalModule;
    const std::optional<uint32_t> found = is_root ? belowLocked(id, path) : std::nullopt;
    if (found && only) {
      return std::nullopt;
    }
    only = found ? found : only;
  }
  return only;
}

std::optional<uint32_t> ModuleRegistry::moduleNamed(uint32_t root, std::string_view name) {
  for (uint32_t id = 0; id < nodes_.size(); ++id) {
    if (nodes_[id].alive && (nameBelow(id, root, true) == name || nameBelow(id, root, false) == name)) {
      return id;
    }
  }
  return std::nullopt;
}

std::optional<uint32_t> ModuleRegistry::fsdp2Unit(uint32_t hint, std::string_view unit) {
  constexpr std::string_view kSeparator = ", ";
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::optional<uint32_t> root = ancestor(hint, ModuleRole::kFsdp2, /*farthest=*/true);
  if (!root || unit.empty()) {
    return root;
  }
  if (const auto known = fsdp2_units_.find(UnitName<std::string_view>{*root, unit}); known != fsdp2_units_.end()) {
    return known->second;
  }
  std::optional<uint32_t> found;
  for (size_t begin = 0, end = 0; begin <= unit.size(); begin = end + kSeparator.size()) {
    end = std::min(unit.find(kSeparator, begin), unit.size());
    const std::optional<uint32_t> member = moduleNamed(*root, unit.substr(begin, end - begin));
    if (!member) {
      return std::nullopt;
    }
    found = found ? commonAncestorLocked(*found, *member) : member;
  }
  fsdp2_units_[{*root, std::string(unit)}] = *found;
  return found;
}

ForkLock ModuleRegistry::forkLock() {
  return {&get().mutex_, [] { new (&get()) ModuleRegistry(); }, "modules at a fork"};
}

} // namespace commtap
