/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <Python.h>
#include <frameobject.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls visit(code, data) for the functions that run on this thread, innermost first, at most `most` of them, until it
 * returns nonzero. Does nothing on a thread without Python frames, or if the interpreter ends.
 *
 * Needs no GIL: only the thread itself adds and removes its frames, a frame holds a reference to its code object, and a
 * code object does not change its names. So `visit` may read names, and must not change a reference count. */
void commtap_visit_codes(int most, int (*visit)(const PyCodeObject* code, void* data), void* data);

/* Calls visit(code, instruction, data) as above. `instruction` is the call that the function is making: an address that
 * belongs to this call alone for as long as the code object lives. */
void commtap_visit_places(
    int most,
    int (*visit)(const PyCodeObject* code, const void* instruction, void* data),
    void* data);

/* Returns the name of a function's first variable, which is its first argument if it takes any; NULL if it has no
 * variable. Borrowed. Needs no GIL, as above. */
const PyObject* commtap_first_variable(const PyCodeObject* code);

/* Calls visit(value, data) for the bound local variables of a running frame, the first `most` of them, until it returns
 * nonzero. The values are borrowed. Before Python 3.13 `f_locals` would copy them into a dict that the job may hold and
 * that keeps them alive, so this reads the frame itself. */
void commtap_visit_locals(PyFrameObject* frame, int most, int (*visit)(PyObject* value, void* data), void* data);

/* Returns the variable `name` of a running function, a new reference; NULL, without an error, if it has none. */
PyObject* commtap_local(PyFrameObject* frame, const char* name);

#ifdef __cplusplus
}
#endif
