// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracker/cpython/py_ref.h"

namespace commtap {

/// The optimizers whose steps were seen, numbered in the order of their first steps. Holds weak references only. The
/// caller holds the GIL.
class KnownOptimizers {
 public:
  struct Step {
    uint32_t optimizer = 0;
    uint64_t step = 0; ///< from 1; 0 if the object has no weak references
  };

  /// Counts a step of an optimizer that begins.
  Step begins(PyObject* optimizer);
  /// Returns the live ones, the first of them first.
  std::vector<PyRef> live() const;

 private:
  struct Known {
    PyRef reference; ///< weak
    uint64_t steps = 0;
  };

  std::vector<Known> known_;
  std::unordered_map<PyObject*, uint32_t> numbers_; ///< of the last optimizer at an address
};

} // namespace commtap
