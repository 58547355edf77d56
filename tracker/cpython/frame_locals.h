/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <Python.h>
#include <frameobject.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls visit(value, data) for the bound local variables of a running frame, the first `most` of them, until it returns
 * nonzero. The values are borrowed. Before Python 3.13 `f_locals` would copy them into a dict that the job may hold and
 * that keeps them alive, so this reads the frame itself. */
void commtap_visit_locals(PyFrameObject* frame, int most, int (*visit)(PyObject* value, void* data), void* data);

/* Returns the variable `name` of a running function, a new reference; NULL, without an error, if it has none. */
PyObject* commtap_local(PyFrameObject* frame, const char* name);

#ifdef __cplusplus
}
#endif
