// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/optimizer_parameters.h"

#include <utility>

#include "tracker/cpython/frame_locals.h"
#include "tracker/cpython/py_compat.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/frame_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {

PyObject* ownValue(PyObject* object, const char* name) {
  PyObject* dict = dictOf(object);
  return dict != nullptr && PyDict_Check(dict) ? PyDict_GetItemString(dict, name) : nullptr;
}

PyObject* groupsOf(PyObject* optimizer) {
  PyObject* groups = ownValue(optimizer, torch_names::kParameterGroups);
  return groups != nullptr && PyList_Check(groups) ? groups : nullptr;
}

PyRef optimizerInFrames(int most) {
  PyRef frame = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int depth = 0; depth < most && frame; ++depth) {
    const PyRef arguments(commtap_local(reinterpret_cast<PyFrameObject*>(frame.get()), torch_names::kStepArguments));
    if (arguments && PyTuple_Check(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) > 0) {
      PyObject* optimizer = PyTuple_GET_ITEM(arguments.get(), 0);
      if (groupsOf(optimizer) != nullptr) {
        return PyRef::borrow(optimizer);
      }
    }
    frame = compat::callerOf(frame.get());
  }
  return {};
}

bool isTrue(PyObject* tensor, const char* name) {
  const PyRef value = attribute(tensor, name);
  PyErr_Clear();
  return value.get() == Py_True;
}

PyRef localTensorOf(PyObject* tensor) {
  PyRef local = attribute(tensor, torch_names::kLocalTensor);
  PyErr_Clear();
  return local;
}

PyRef gradientOf(PyObject* tensor) {
  PyObject* main_grad = ownValue(tensor, torch_names::kMainGrad);
  if (main_grad != nullptr && isTensor(main_grad)) {
    return PyRef::borrow(main_grad);
  }
  PyRef gradient = isTrue(tensor, torch_names::kIsLeaf) ? attribute(tensor, torch_names::kGrad) : PyRef();
  PyErr_Clear();
  return gradient && isTensor(gradient.get()) ? std::move(gradient) : PyRef();
}

} // namespace commtap
