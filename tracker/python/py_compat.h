// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Wraps the parts of CPython's API that differ between Python versions.

#include <Python.h>

#include "tracker/python/py_ref.h"

namespace commtap::compat {

/// Returns the C function through which CPython calls a Python function object.
inline vectorcallfunc vectorcallOf(PyObject* function) {
  return reinterpret_cast<PyFunctionObject*>(function)->vectorcall;
}

/// Makes CPython call `function` through `call`. Changes nothing else in the function object.
inline void setVectorcall(PyObject* function, vectorcallfunc call) {
#if PY_VERSION_HEX >= 0x030C0000
  PyFunction_SetVectorcall(reinterpret_cast<PyFunctionObject*>(function), call);
#else
  reinterpret_cast<PyFunctionObject*>(function)->vectorcall = call;
#endif
}

/// Returns the frame that called `frame`; empty if there is none.
inline PyRef callerOf(PyObject* frame) {
  return PyRef(
      frame == nullptr ? nullptr
                       : reinterpret_cast<PyObject*>(PyFrame_GetBack(reinterpret_cast<PyFrameObject*>(frame))));
}

/// Returns a local variable of a function's frame; empty if it has none of this name. Leaves no reference to the
/// frame's other variables behind: a snapshot of them would keep tensors alive.
inline PyRef localOf(PyObject* frame, const char* name) {
  PyRef value;
  if (frame == nullptr) {
    return value;
  }
#if PY_VERSION_HEX >= 0x030C0000
  value = PyRef(PyFrame_GetVarString(reinterpret_cast<PyFrameObject*>(frame), name));
#else
  const PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(reinterpret_cast<PyFrameObject*>(frame))));
  const bool is_function = (reinterpret_cast<PyCodeObject*>(code.get())->co_flags & CO_OPTIMIZED) != 0;
  const PyRef locals = is_function ? attribute(frame, "f_locals") : PyRef(); // a dict that the frame keeps
  if (locals && PyDict_Check(locals.get())) {
    value = PyRef::borrow(PyDict_GetItemString(locals.get(), name));
    PyDict_Clear(locals.get());
  }
#endif
  PyErr_Clear();
  return value;
}

} // namespace commtap::compat
