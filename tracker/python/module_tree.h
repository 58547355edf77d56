// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/module_map.h"

namespace commtap {

/// Assigns ids and names to modules. A root is named after its class, in clean names after the class that the user
/// wrote; a child is named as it is registered in its parent, as in named_children(), also if the parent is never
/// called. The caller holds the GIL.
class ModuleTree {
 public:
  explicit ModuleTree(const CommtapHost& host) : host_(host), map_(host) {}

  /// Returns the id to enter for a call of `module`, or ModuleMap::kTransparent; kUnknown before add().
  uint32_t find(PyObject* module) const {
    return map_.find(module);
  }
  /// Assigns an id to a new module and to its children. Returns what find() returns from then on. `argument`: the first
  /// of the call that begins; nullptr for none.
  uint32_t add(PyObject* module, PyObject* argument = nullptr);
  /// Returns the modules that have an id.
  const ModuleMap& modules() const {
    return map_;
  }
  /// Like find(), but also returns the id that addUnfinished() gave.
  uint32_t findUnfinished(PyObject* module) const;
  /// Gives an id to a module whose constructor begins, before it has children and a place. The module gets both, and
  /// keeps the id, when it is found or called. It will wrap `wrapped`.
  uint32_t addUnfinished(PyObject* module, PyObject* wrapped);

 private:
  struct Place {
    uint32_t parent;
    std::string component;
    bool wrapper;
    std::string clean; ///< for a module that is named after its class: the user's class; else ""
  };

  uint32_t addAt(PyObject* module, const Place& place);
  void addChildren(PyObject* module, uint32_t parent, const std::string& prefix);
  void addChild(PyObject* module, PyObject* child, uint32_t parent, const std::string& component);
  uint32_t addBelowOwner(PyObject* module);
  /// Returns the place of a module that is named after its class. `wrapped`: a module that it wraps, or itself.
  static Place placeByClass(PyObject* module, PyObject* wrapped, uint32_t parent);
  uint32_t idAt(PyObject* module, const Place& place);
  uint32_t idOfWrapped(PyObject* module) const;
  /// `wrapped` is the module that `module` wraps; nullptr if it wraps none, or its name does not depend on it.
  uint32_t newId(PyObject* module, const Place& place, PyObject* wrapped);
  void watchDeath();
  static PyObject* onDeath(PyObject* self, PyObject* weak_reference);

  const CommtapHost& host_;
  ModuleMap map_;
  OwnerSearch owner_search_;
  std::unordered_map<PyObject*, std::pair<PyRef, uint32_t>> unfinished_; ///< a weak reference, and the id
  bool watching_ = false;
  uint32_t depth_ = 0; ///< current depth of the walk through children
};

} // namespace commtap
