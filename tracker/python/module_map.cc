// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_map.h"

#include <algorithm>
#include <utility>

namespace commtap {

bool ModuleMap::add(PyObject* module, uint32_t id) {
  PyObject* reference = PyWeakref_NewRef(module, callback_);
  if (reference == nullptr) {
    PyErr_Clear();
    return false;
  }
  // The reference is kept alive until it dies with the module: its callback comes only then.
  module_of_reference_[reference] = module;
  if (id != kTransparent) {
    object_of_id_[id] = module;
  }
  insert(module, id);
  return true;
}

PyObject* ModuleMap::object(uint32_t id) const {
  const auto found = object_of_id_.find(id);
  return found == object_of_id_.end() ? nullptr : found->second;
}

uint32_t ModuleMap::erase(PyObject* weak_reference) {
  const auto found = module_of_reference_.find(weak_reference);
  if (found == module_of_reference_.end()) {
    return kUnknown;
  }
  PyObject* module = found->second;
  module_of_reference_.erase(found);
  const uint32_t id = find(module);
  if (id != kUnknown) {
    remove(module);
    if (object(id) == module) {
      object_of_id_.erase(id);
    }
  }
  Py_DECREF(weak_reference);
  return id;
}

void ModuleMap::insert(PyObject* module, uint32_t id) {
  if ((used_ + 1) * 2 > slots_.size()) {
    grow();
  }
  Slot& slot = slots_[slotOf(module)];
  used_ += slot.module == nullptr ? 1 : 0;
  slot = {module, id};
}

/// Closes the gap, so that no search stops early: linear probing without tombstones.
void ModuleMap::remove(PyObject* module) {
  size_t gap = slotOf(module);
  for (size_t next = (gap + 1) & mask_; slots_[next].module != nullptr; next = (next + 1) & mask_) {
    const size_t home = hash(slots_[next].module) & mask_;
    if (((next - home) & mask_) >= ((next - gap) & mask_)) {
      slots_[gap] = slots_[next];
      gap = next;
    }
  }
  slots_[gap] = {};
  --used_;
}

void ModuleMap::grow() {
  std::vector<Slot> old(std::max<size_t>(1024, slots_.size() * 2));
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  used_ = 0;
  for (const Slot& slot : old) {
    if (slot.module != nullptr) {
      insert(slot.module, slot.id);
    }
  }
}

} // namespace commtap
