// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <unordered_map>

namespace commtap {

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
