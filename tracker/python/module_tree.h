// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "tracker/core/python_host.h"
#include "tracker/python/module_map.h"

namespace commtap {

/// Gives modules their ids and names: a root by its class name, everything below by the names under which it is
/// registered, as named_children has them. Guarded by the GIL.
class ModuleTree {
 public:
  explicit ModuleTree(const CommtapHost& host) : host_(host), map_(host) {}

  /// The id to enter for a call of `module`, or ModuleMap::kTransparent; kUnknown if it was never seen.
  uint32_t find(PyObject* module) const {
    return map_.find(module);
  }
  /// Gives an id to a module that was never seen, and to its children.
  uint32_t add(PyObject* module);

 private:
  struct Place {
    uint32_t parent;
    std::string component;
    bool wrapper;
  };

  uint32_t addAt(PyObject* module, const Place& place);
  void addChildren(PyObject* module, uint32_t parent, const std::string& prefix);
  void addChild(PyObject* module, PyObject* child, uint32_t parent, const std::string& component);
  void watchDeath();
  static PyObject* onDeath(PyObject* self, PyObject* weak_reference);

  const CommtapHost& host_;
  ModuleMap map_;
  bool watching_ = false;
  uint32_t depth_ = 0; ///< of the walk through children
};

} // namespace commtap
