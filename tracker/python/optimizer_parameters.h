// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/tensors_in.h"
#include "tracker/torch/frame_names.h"

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

} // namespace commtap
