// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <exception>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/dynamo_pause.h"

namespace commtap {

/// An attribute of a class of torch's, and what the tracker sets there. For all functions here the caller holds the
/// GIL.
struct ClassHook {
  const char* file; ///< the Python module of the class
  const char* owner;
  const char* name;
  PyObject* torchs = nullptr; ///< owned
  PyObject* ours = nullptr;   ///< owned; null until the file is loaded
  PyMethodDef method{};       ///< of `ours`, if it is a method
};

/// Returns a loaded Python module, borrowed; nullptr if it is not loaded.
PyObject* loadedModule(const char* name);

/// Sets `ours`, owned, where torch has a value of `type`, and remembers torch's. Does nothing if it has none.
void startHook(ClassHook& hook, PyTypeObject* type, PyObject* ours);

/// Sets a C function in the place of a method, as startHook(). It gets what the method gets, the object first.
void startMethodHook(ClassHook& hook, PyCFunctionWithKeywords function);

/// Sets torch's value to the tracker's, or back. Leaves what a job has set.
void setHook(const ClassHook& hook, bool watched);

/// Returns whether the class has what the tracker sets there.
bool isSet(const ClassHook& hook);

/// Calls run() between two lines of torch's code. Without memory for it, collectives are reported as unattributed.
template <typename Run>
void aside(const Run& run) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  try {
    run();
  } catch (const std::exception&) {
    PyErr_Clear();
  }
}

} // namespace commtap
