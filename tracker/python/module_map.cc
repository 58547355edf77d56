// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_map.h"

#include <algorithm>

namespace commtap {

bool ModuleMap::add(PyObject* module, uint32_t id) {
  PyObject* reference = PyWeakref_NewRef(module, callback_);
  if (reference == nullptr) {
    PyErr_Clear();
    return false;
  }
  // The reference must outlive the module, or its callback never runs. Create it before set_module(): an entry that is
  // never removed would later match a new module at the same address.
  module_of_reference_[reference] = module;
  if (host_.set_module(module, id) == 0) {
    module_of_reference_.erase(reference);
    Py_DECREF(reference);
    return false;
  }
  if (id != kTransparent) {
    object_of_id_[id] = module;
  }
  return true;
}

PyObject* ModuleMap::object(uint32_t id) const {
  const auto found = object_of_id_.find(id);
  return found == object_of_id_.end() ? nullptr : found->second;
}

std::vector<std::pair<uint32_t, PyRef>> ModuleMap::live() const {
  std::vector<std::pair<uint32_t, PyRef>> modules;
  modules.reserve(object_of_id_.size());
  for (const auto& [id, module] : object_of_id_) {
    modules.emplace_back(id, PyRef::borrow(module));
  }
  std::sort(modules.begin(), modules.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return modules;
}

uint32_t ModuleMap::erase(PyObject* weak_reference) {
  const auto found = module_of_reference_.find(weak_reference);
  if (found == module_of_reference_.end()) {
    return kUnknown;
  }
  PyObject* module = found->second;
  module_of_reference_.erase(found);
  const uint32_t id = host_.forget_module(module);
  if (object(id) == module) {
    object_of_id_.erase(id);
  }
  Py_DECREF(weak_reference);
  return id;
}

} // namespace commtap
