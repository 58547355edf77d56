// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <exception>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {

/// Receives the graphs that Dynamo gives to a compiler from now on, if Dynamo is loaded. If the compiler takes a file
/// from Inductor's cache of which the tracker knows nothing, reports where the collectives of the forward come from.
/// Wraps OutputGraph.call_user_compiler. The caller holds the GIL.
void watchDynamo(const CommtapHost& host);

/// Stops watching, or watches again.
void setDynamoWatched(bool watched);

/// Receives the graphs that Inductor compiles from now on, if it is loaded, and reports where the collectives of the
/// generated file come from. Sets GraphLowering.save_output_code, which torch calls with each file's text and
/// leaves unset for such use; a job's own is kept. Also wraps PythonWrapperCodegen.define_subgraph_launcher_fn, which
/// adds a function's text to a file and drops its line map. Returns false if Inductor is not loaded. The caller holds
/// the GIL.
bool watchInductor(const CommtapHost& host);

/// Stops watching, or watches again.
void setInductorWatched(bool watched);

/// Keeps Dynamo from tracing this thread's Python code while this object lives. A compiled module calls the tracker
/// with Dynamo active. Reading an attribute may run a property's code, which Dynamo would compile and count as the
/// job's. The caller holds the GIL.
class DynamoPause {
 public:
  DynamoPause();
  DynamoPause(const DynamoPause&) = delete;
  DynamoPause& operator=(const DynamoPause&) = delete;
  ~DynamoPause();

 private:
  PyRef set_callback_; ///< empty if torch has not loaded Dynamo
  PyRef callback_;     ///< the callback to restore
};

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
