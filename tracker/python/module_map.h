// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <unordered_map>

#include "tracker/core/python_host.h"

namespace commtap {

/// The live module objects whose ids the tracker's table has. Holds weak references only: a module lives no longer for
/// our sake, and its address may be another's tomorrow. Guarded by the GIL.
class ModuleMap {
 public:
  static constexpr uint32_t kUnknown = kCommtapUnknownModule;
  /// No module of the model's: its calls are its caller's own.
  static constexpr uint32_t kTransparent = kCommtapNoModule;

  explicit ModuleMap(const CommtapHost& host) : host_(host) {}

  uint32_t find(PyObject* module) const {
    return host_.find_module(module);
  }

  /// False if the object cannot be weakly referenced; it is then not kept.
  bool add(PyObject* module, uint32_t id);

  /// The live module of this id; nullptr if it is gone. Borrowed.
  PyObject* object(uint32_t id) const;

  /// A weak reference has died: the id of its module, which is unknown from now on.
  uint32_t erase(PyObject* weak_reference);

  /// Called with a dead weak reference of this map; must call erase().
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
