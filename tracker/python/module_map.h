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

/// Sets the Python callables that run around each module call; two null pointers remove them. Returns false if only
/// one is null or one is not callable. The caller holds the GIL.
bool setObserver(PyObject* before, PyObject* after);

/// Makes a module call through `own`, with the observer's callables around it. CommtapPython::observe describes their
/// arguments. Returns a new reference; nullptr with a Python error if the call or a callable raises.
PyObject*
callWithObserver(vectorcallfunc own, PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names);

/// Finds the module that registers another one which is called although its root never was: by `model.forward(x)`, or
/// by `trainer.model.encoder(x)`. Looks at the variables of the functions that are running, and at the attributes of
/// the objects whose methods they are. The caller holds the GIL.
class OwnerSearch {
 public:
  /// Returns the outermost module found that has `module` below it, borrowed; nullptr if there is none. A model with
  /// thousands of modules takes a millisecond, so all searches of a process take at most kMostNs of CPU time. A job may
  /// make modules that no other registers at every step: a class of which kMostMisses had no owner is not searched for.
  PyObject* ownerOf(PyObject* module);
  /// Returns whether the last search ended before it had looked everywhere.
  bool gaveUp() const {
    return gave_up_;
  }

  static constexpr uint64_t kMostNs = 50'000'000;

 private:
  static constexpr int kMostMisses = 8;
  static constexpr int kMostFrames = 24;
  static constexpr int kMostVariables = 64; ///< per function or object
  static constexpr int kMostDepth = 100;    ///< nesting of modules

  void lookAt(PyObject* value);
  void lookIntoObject(PyObject* object);
  bool contains(PyObject* module, int depth);
  bool isOutOfTime();

  PyObject* found_ = nullptr;
  bool gave_up_ = false;
  uint64_t began_ns_ = 0;
  uint64_t spent_ns_ = 0; ///< of all searches before this one
  int visited_ = 0;
  std::unordered_map<PyTypeObject*, int> misses_; ///< modules without an owner, by class
};

} // namespace commtap
