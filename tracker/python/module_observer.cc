// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_observer.h"

#include "tracker/cpython/py_ref.h"

namespace commtap {
namespace {

struct Observer {
  PyObject* before = nullptr; ///< owned
  PyObject* after = nullptr;  ///< owned
};

Observer& observer() {
  static auto* instance = new Observer(); // leaked on purpose: module calls go on until the interpreter exits
  return *instance;
}

PyRef positional(PyObject* const* arguments, Py_ssize_t count) {
  PyRef tuple(PyTuple_New(count));
  for (Py_ssize_t i = 0; tuple && i < count; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(arguments[i]));
  }
  return tuple;
}

/// Returns the keyword arguments as a dict; None if there are none; empty on a Python error.
PyRef keywords(PyObject* const* values, PyObject* names) {
  if (names == nullptr || PyTuple_GET_SIZE(names) == 0) {
    return PyRef::borrow(Py_None);
  }
  PyRef dict(PyDict_New());
  for (Py_ssize_t i = 0; dict && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(names, i), values[i]) != 0) {
      return {};
    }
  }
  return dict;
}

/// Notifies the observer of a call that raised. Drops the observer's own error: the caller gets the call's exception.
void tellFailure(PyObject* after, PyObject* module, PyObject* args, PyObject* kwargs) {
  const ErrorGuard keep_errors;
  const PyRef ignored(PyObject_CallFunctionObjArgs(after, module, args, kwargs, Py_None, nullptr));
}

} // namespace

bool setObserver(PyObject* before, PyObject* after) {
  if ((before == nullptr) != (after == nullptr) || (before != nullptr && PyCallable_Check(before) == 0) ||
      (after != nullptr && PyCallable_Check(after) == 0)) {
    return false;
  }
  const PyRef old_before(observer().before);
  const PyRef old_after(observer().after);
  Py_XINCREF(before);
  Py_XINCREF(after);
  observer() = {before, after};
  return true;
}

PyObject*
callWithObserver(vectorcallfunc own, PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const PyRef before = PyRef::borrow(observer().before);
  const PyRef after = PyRef::borrow(observer().after);
  if (!before || !after) { // another thread has removed the observer
    return own(function, arguments, flags, names);
  }
  const PyRef args = positional(arguments + 1, count - 1);
  const PyRef kwargs = args ? keywords(arguments + count, names) : PyRef();
  if (!kwargs) {
    return nullptr;
  }
  PyObject* module = arguments[0];
  const PyRef began(PyObject_CallFunctionObjArgs(before.get(), module, args.get(), kwargs.get(), nullptr));
  if (!began) {
    return nullptr;
  }
  PyRef result(own(function, arguments, flags, names));
  if (!result) {
    tellFailure(after.get(), module, args.get(), kwargs.get());
    return nullptr;
  }
  const PyRef ended(PyObject_CallFunctionObjArgs(after.get(), module, args.get(), kwargs.get(), result.get(), nullptr));
  return ended ? Py_NewRef(result.get()) : nullptr;
}

} // namespace commtap
