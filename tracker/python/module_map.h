// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {

/// The live module objects that have an id in the tracker's table. Holds weak references only, so it keeps no module
/// alive. A destroyed module's address may be reused. The caller holds the GIL.
class ModuleMap {
 public:
  static constexpr uint32_t kUnknown = kCommtapUnknownModule;
  /// Marks a module that has no row of its own: its calls are attributed to the calling module.
  static constexpr uint32_t kTransparent = kCommtapNoModule;

  explicit ModuleMap(const CommtapHost& host) : host_(host) {}

  uint32_t find(PyObject* module) const {
    return host_.find_module(module);
  }

  /// Returns false, and keeps nothing, if the object has no weak references or the table is full.
  bool add(PyObject* module, uint32_t id);

  /// Returns the live module of this id, borrowed; nullptr if it was destroyed.
  PyObject* object(uint32_t id) const;

  /// Returns all live modules that have an id of their own, by id.
  std::vector<std::pair<uint32_t, PyRef>> live() const;

  /// Removes the module whose weak reference has died. Returns the id that it had, or kUnknown.
  uint32_t erase(PyObject* weak_reference);

  /// Sets the Python callable that receives each dead weak reference of this map. It must call erase().
  void setDeathCallback(PyObject* callback) {
    callback_ = callback;
  }

 private:
  const CommtapHost& host_;
  std::unordered_map<PyObject*, PyObject*> module_of_reference_;
  std::unordered_map<uint32_t, PyObject*> object_of_id_;
  PyObject* callback_ = nullptr;
};

} // namespace commtap
