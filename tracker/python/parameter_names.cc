// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_names.h"

#include <utility>

#include "tracker/python/parameter_facts.h"
#include "tracker/python/tensors_in.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/hook_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

constexpr int kMostUnknownLevels = 200; ///< nesting of modules that have no id

std::string moduleName(const CommtapHost& host, uint32_t id) {
  std::string name;
  host.module_name(
      id, [](void* data, const char* text) { *static_cast<std::string*>(data) = text; }, &name);
  return name;
}

/// Returns the global ranks of a process group as a JSON list; "" if they are not known.
std::string ranksOfGroup(PyObject* group) {
  PyObject* file = PyDict_GetItemString(PyImport_GetModuleDict(), torch_names::kGroupsFile);
  PyObject* contents = file == nullptr || !PyModule_Check(file) ? nullptr : PyModule_GetDict(file);
  PyObject* all = contents == nullptr ? nullptr : PyDict_GetItemString(contents, torch_names::kRanksOfGroups);
  PyObject* ranks = all != nullptr && PyDict_Check(all) && group != nullptr ? PyDict_GetItem(all, group) : nullptr;
  const PyRef list(ranks != nullptr && PyDict_Check(ranks) ? PyDict_Keys(ranks) : nullptr);
  PyErr_Clear();
  return list ? integersJson(list.get()) : "";
}

} // namespace

ParameterNames::ParameterNames(const CommtapHost& host, const ModuleMap& modules) : modules_(modules) {
  const std::vector<std::pair<uint32_t, PyRef>> live = modules.live();
  for (const auto& [id, module] : live) {
    addTree(module.get(), moduleName(host, id), 0);
  }
  for (const auto& [id, module] : live) {
    if (inheritsFrom(module.get(), torch_names::kDistributedDataParallel)) {
      addDdp(module.get());
    } else if (inheritsFrom(module.get(), torch_names::kFullyShardedDataParallel)) {
      addFsdp1(module.get());
    }
  }
}

/// Adds the parameters of a module and of those below it that have no id: they were registered after the last walk, or
/// only hold modules.
void ParameterNames::addTree(PyObject* module, const std::string& name, int depth) {
  if (depth == kMostUnknownLevels || !visited_.insert(module).second) {
    return;
  }
  addOwn(module, name);
  PyObject* children = childrenOf(module);
  PyObject* component = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; children != nullptr && PyDict_Next(children, &at, &component, &child) != 0;) {
    const uint32_t id = child == Py_None ? ModuleMap::kTransparent : modules_.find(child);
    if (child != Py_None && (id == ModuleMap::kUnknown || id == ModuleMap::kTransparent)) {
      const std::string below = textOf(component);
      std::string child_name = name;
      if (!isWrapperComponent(module, below.c_str())) {
        child_name.append(".").append(below);
      }
      addTree(child, child_name, depth + 1);
    }
  }
}

void ParameterNames::addOwn(PyObject* module, const std::string& name) {
  PyObject* parameters = parametersOf(module);
  PyObject* own_name = nullptr;
  PyObject* tensor = nullptr;
  for (Py_ssize_t at = 0; parameters != nullptr && PyDict_Next(parameters, &at, &own_name, &tensor) != 0;) {
    if (isTensor(tensor) && index_.emplace(tensor, all_.size()).second) {
      all_.push_back({PyRef::borrow(tensor), name + "." + textOf(own_name)});
    }
  }
}

void ParameterNames::addDdp(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* list = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kDdpParameters);
  if (list == nullptr || !PyList_Check(list)) {
    return;
  }
  std::string ranks = ranksOfGroup(PyDict_GetItemString(dict, torch_names::kDdpGroup));
  for (Py_ssize_t i = 0; !ranks.empty() && i < PyList_GET_SIZE(list); ++i) {
    ddp_.emplace(PyList_GET_ITEM(list, i), ddp_ranks_.size());
  }
  ddp_ranks_.push_back(std::move(ranks));
}

void ParameterNames::addFsdp1(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* handle = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kFsdp1Handle);
  const PyRef flat = attribute(handle, torch_names::kFlatParameter);
  PyErr_Clear();
  PyObject* facts = flat ? dictOf(flat.get()) : nullptr;
  for (const char* name : {torch_names::kFlatOriginals, torch_names::kFlatSharedOriginals}) {
    PyObject* list = facts == nullptr ? nullptr : PyDict_GetItemString(facts, name);
    for (Py_ssize_t i = 0; list != nullptr && PyList_Check(list) && i < PyList_GET_SIZE(list); ++i) {
      in_flat_.insert(PyList_GET_ITEM(list, i));
    }
  }
}

const std::string* ParameterNames::nameOf(PyObject* tensor) const {
  const auto found = index_.find(tensor);
  return found == index_.end() ? nullptr : &all_[found->second].name;
}

const std::string& ParameterNames::ddpRanksOf(PyObject* tensor) const {
  static const std::string none;
  const auto found = ddp_.find(tensor);
  return found == ddp_.end() ? none : ddp_ranks_[found->second];
}

} // namespace commtap
