// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

namespace commtap {

/// The Python callables that want to see each module call; null pointers for none. False if one is not callable.
/// Guarded by the GIL.
bool setObserver(PyObject* before, PyObject* after);

/// Makes a module call through `own` with the observer's callables around it (python_host.h says what they get).
PyObject*
callWithObserver(vectorcallfunc own, PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names);

} // namespace commtap
