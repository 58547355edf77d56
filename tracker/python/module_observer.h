// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

namespace commtap {

/// Sets the Python callables that run around each module call; two null pointers remove them. Returns false if only
/// one is null or one is not callable. The caller holds the GIL.
bool setObserver(PyObject* before, PyObject* after);

/// Makes a module call through `own`, with the observer's callables around it. CommtapPython::observe describes their
/// arguments. Returns a new reference; nullptr with a Python error if the call or a callable raises.
PyObject*
callWithObserver(vectorcallfunc own, PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names);

} // namespace commtap
