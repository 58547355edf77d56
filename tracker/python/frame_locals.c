/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define Py_BUILD_CORE 1 /* for the layout of a frame */
#include "tracker/python/frame_locals.h"

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030D0000
#include <internal/pycore_frame.h>
#endif

#if PY_VERSION_HEX >= 0x030D0000

void commtap_visit_locals(PyFrameObject* frame, int most, int (*visit)(PyObject* value, void* data), void* data) {
  PyObject* locals = PyFrame_GetLocals(frame); /* a view, not a copy */
  PyObject* values = locals == NULL ? NULL : PyMapping_Values(locals);
  const Py_ssize_t count = values == NULL ? 0 : PyList_GET_SIZE(values);
  for (Py_ssize_t i = 0; i < count && i < most; ++i) {
    if (visit(PyList_GET_ITEM(values, i), data) != 0) {
      break;
    }
  }
  Py_XDECREF(values);
  Py_XDECREF(locals);
  PyErr_Clear();
}

#else

/* Returns the frame's variables, and sets their number. */
static PyObject** variables_of(PyFrameObject* frame, int* count) {
#if PY_VERSION_HEX >= 0x030B0000
  *count = frame->f_frame->f_code->co_nlocalsplus;
  return frame->f_frame->localsplus;
#else
  *count =
      (int)(frame->f_code->co_nlocals + PyTuple_GET_SIZE(frame->f_code->co_cellvars) + PyTuple_GET_SIZE(frame->f_code->co_freevars));
  return frame->f_localsplus;
#endif
}

void commtap_visit_locals(PyFrameObject* frame, int most, int (*visit)(PyObject* value, void* data), void* data) {
  int count = 0;
  PyObject** variables = variables_of(frame, &count);
  for (int i = 0; i < count && i < most; ++i) {
    PyObject* value = variables[i];
    if (value != NULL && PyCell_Check(value)) {
      value = PyCell_GET(value);
    }
    if (value != NULL && visit(value, data) != 0) {
      return;
    }
  }
}

#endif
