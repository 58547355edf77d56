/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define Py_BUILD_CORE 1 /* for the layout of a frame */
#include "tracker/cpython/thread_frames.h"

#if PY_VERSION_HEX >= 0x030B0000
#include <internal/pycore_frame.h>
typedef struct _PyInterpreterFrame Frame;
#else
#include <frameobject.h>
typedef PyFrameObject Frame;
#endif

static int is_finalizing(void) {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing();
#else
  return _Py_IsFinalizing();
#endif
}

static const Frame* innermost_frame(const PyThreadState* thread) {
#if PY_VERSION_HEX >= 0x030D0000
  return thread->current_frame;
#elif PY_VERSION_HEX >= 0x030B0000
  return thread->cframe->current_frame;
#else
  return thread->frame;
#endif
}

static const Frame* caller_of(const Frame* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return frame->previous;
#else
  return frame->f_back;
#endif
}

/* Returns the code object of the frame's function; NULL for a frame by which C code enters the interpreter.
 * CPython 3.12 gives such a frame a code object of its own. */
static const PyCodeObject* code_of(const Frame* frame) {
#if PY_VERSION_HEX >= 0x030D0000
  const PyObject* code = frame->f_executable;
#elif PY_VERSION_HEX >= 0x030C0000
  const PyObject* code = frame->owner == FRAME_OWNED_BY_CSTACK ? NULL : (const PyObject*)frame->f_code;
#else
  const PyObject* code = (const PyObject*)frame->f_code;
#endif
  return code != NULL && Py_IS_TYPE(code, &PyCode_Type) ? (const PyCodeObject*)code : NULL;
}

static const void* instruction_of(const Frame* frame) {
#if PY_VERSION_HEX >= 0x030D0000
  return frame->instr_ptr;
#elif PY_VERSION_HEX >= 0x030B0000
  return frame->prev_instr;
#else
  return (const char*)frame->f_code + frame->f_lasti;
#endif
}

void commtap_visit_places(
    int most,
    int (*visit)(const PyCodeObject* code, const void* instruction, void* data),
    void* data) {
  /* A thread's state may be freed while the interpreter ends. */
  const PyThreadState* thread = is_finalizing() ? NULL : PyGILState_GetThisThreadState();
  const Frame* frame = thread == NULL ? NULL : innermost_frame(thread);
  for (int visited = 0; frame != NULL && visited < most; frame = caller_of(frame)) {
    const PyCodeObject* code = code_of(frame);
    visited += code != NULL;
    if (code != NULL && visit(code, instruction_of(frame), data) != 0) {
      return;
    }
  }
}

struct Codes {
  int (*visit)(const PyCodeObject* code, void* data);
  void* data;
};

static int visit_code(const PyCodeObject* code, const void* instruction, void* data) {
  (void)instruction;
  const struct Codes* codes = data;
  return codes->visit(code, codes->data);
}

void commtap_visit_codes(int most, int (*visit)(const PyCodeObject* code, void* data), void* data) {
  struct Codes codes = {visit, data};
  commtap_visit_places(most, visit_code, &codes);
}

const PyObject* commtap_first_variable(const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
  const PyObject* names = code->co_localsplusnames;
#else
  const PyObject* names = code->co_varnames;
#endif
  return PyTuple_GET_SIZE(names) == 0 ? NULL : PyTuple_GET_ITEM(names, 0);
}

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
