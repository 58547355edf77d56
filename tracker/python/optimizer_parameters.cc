// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/optimizer_parameters.h"

#include <utility>

#include "tracker/cpython/frame_locals.h"
#include "tracker/cpython/py_compat.h"
#include "tracker/graphs/dynamo_pause.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/python/running_work.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/frame_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

/// A method `step` may call its object something else than `self`. Then the function of torch around it has it.
PyRef steppingOptimizer() {
  constexpr int kMostFrames = 100;
  PyRef optimizer = runningWork().optimizer;
  return optimizer ? std::move(optimizer) : optimizerInFrames(kMostFrames);
}

} // namespace

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

void stepGradients(const CommtapHost& host, CommtapTakeGradient take, void* data) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  const PyRef optimizer = steppingOptimizer();
  if (!optimizer) {
    return;
  }
  const PlainTensors plain(host);
  forEachParameter(optimizer.get(), [&](PyObject* parameter, Py_ssize_t, Py_ssize_t) {
    const PyRef keep = PyRef::borrow(parameter);
    const PyRef gradient = gradientOf(parameter);
    if (gradient && !localTensorOf(gradient.get())) {
      take(data, tensorImpl(parameter), tensorImpl(gradient.get()));
    }
  });
}

} // namespace commtap
