// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Wraps the parts of CPython's API that differ between Python versions.

#include <Python.h>
#include <frameobject.h>

#include "tracker/cpython/py_ref.h"

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

} // namespace commtap::compat
