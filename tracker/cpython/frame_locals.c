/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define Py_BUILD_CORE 1 /* for the layout of a frame */
#include "tracker/cpython/frame_locals.h"

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

PyObject* commtap_local(PyFrameObject* frame, const char* name) {
  PyObject* value = PyFrame_GetVarString(frame, name);
  PyErr_Clear();
  return value;
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

static PyObject* value_of(PyObject* variable) {
  return variable != NULL && PyCell_Check(variable) ? PyCell_GET(variable) : variable;
}

void commtap_visit_locals(PyFrameObject* frame, int most, int (*visit)(PyObject* value, void* data), void* data) {
  int count = 0;
  PyObject** variables = variables_of(frame, &count);
  for (int i = 0; i < count && i < most; ++i) {
    PyObject* value = value_of(variables[i]);
    if (value != NULL && visit(value, data) != 0) {
      return;
    }
  }
}

/* Returns the name of variable i of `code`, borrowed. */
static PyObject* name_at(const PyCodeObject* code, Py_ssize_t i) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyTuple_GET_ITEM(code->co_localsplusnames, i);
#else
  PyObject* const groups[] = {code->co_varnames, code->co_cellvars, code->co_freevars};
  int group = 0;
  while (i >= PyTuple_GET_SIZE(groups[group])) {
    i -= PyTuple_GET_SIZE(groups[group]); /* a macro that may evaluate its argument twice */
    ++group;
  }
  return PyTuple_GET_ITEM(groups[group], i);
#endif
}

PyObject* commtap_local(PyFrameObject* frame, const char* name) {
  PyCodeObject* code = PyFrame_GetCode(frame);
  PyObject* value = NULL;
  int count = 0;
  PyObject** variables = variables_of(frame, &count);
  for (int i = 0; i < count && value == NULL; ++i) { /* before Python 3.11 an argument can have a second, empty place */
    if (PyUnicode_CompareWithASCIIString(name_at(code, i), name) == 0) {
      value = value_of(variables[i]);
    }
  }
  Py_XINCREF(value);
  Py_DECREF(code);
  return value;
}

#endif
