// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/module_map.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/torch/function_names.h"

namespace commtap {

/// The parameters of an optimizer, and their gradients. Nothing here runs code of the job or leaves a Python error. The
/// caller holds the GIL.

/// Returns the value in an object's own dictionary, borrowed; nullptr if there is none. The object's class may have a
/// property of the name, which is not evaluated.
PyObject* ownValue(PyObject* object, const char* name);

/// Returns the list of an optimizer's groups, borrowed; nullptr if the object has none of its own.
PyObject* groupsOf(PyObject* optimizer);

/// Returns the optimizer that one of torch's steps is around: the first argument of the function of torch around the
/// step, which is among the `most` innermost functions. Empty if there is none.
PyRef optimizerInFrames(int most);

/// Calls visit(tensor, group, place) for each parameter of an optimizer. The tensor is borrowed.
template <typename Visit>
void forEachParameter(PyObject* optimizer, const Visit& visit) {
  PyObject* groups = groupsOf(optimizer);
  for (Py_ssize_t i = 0; groups != nullptr && i < PyList_GET_SIZE(groups); ++i) {
    PyObject* group = PyList_GET_ITEM(groups, i);
    PyObject* tensors = PyDict_Check(group) ? PyDict_GetItemString(group, torch_names::kGroupsTensors) : nullptr;
    for (Py_ssize_t k = 0; tensors != nullptr && PyList_Check(tensors) && k < PyList_GET_SIZE(tensors); ++k) {
      PyObject* tensor = PyList_GET_ITEM(tensors, k);
      if (isTensor(tensor)) {
        visit(tensor, i, k);
      }
    }
  }
}

/// Returns whether an attribute of a tensor is True.
bool isTrue(PyObject* tensor, const char* name);

/// Returns a DTensor's local tensor; empty for any other tensor.
PyRef localTensorOf(PyObject* tensor);

/// Returns the gradient that the optimizer will use; empty if there is none. Does not ask a tensor that is no leaf:
/// torch would warn.
PyRef gradientOf(PyObject* tensor);

/// Implements CommtapPython::step_gradients.
void stepGradients(const CommtapHost& host, CommtapTakeGradient take, void* data);

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

/// Returns the TensorImpl of the first parameter that requires a gradient, of `module` or of a module below it; nullptr
/// if there is none among the first few hundred modules. The caller holds the GIL.
void* trainedParameter(const CommtapHost& host, PyObject* module);

/// Implements CommtapPython::sample_step. Runs no code of the job, leaves no Python error. The caller holds the GIL.
///
/// The parameters that no optimizer has go with the first live optimizer. Another optimizer may have them whose first
/// step is yet to come. So at the first step only those without a gradient do, which no optimizer wants.
void sampleStep(
    const CommtapHost& host,
    const ModuleMap& modules,
    KnownOptimizers& optimizers,
    const CommtapStepSampler& sampler);

} // namespace commtap
