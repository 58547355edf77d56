// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/call_hook.h"

#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {
namespace {

/// Returns CPython's own vectorcall for Python functions, read from a new function that no other hook can have changed.
vectorcallfunc pythonsOwn() {
  const PyRef globals(PyDict_New());
  const PyRef made(PyRun_String("lambda: None", Py_eval_input, globals.get(), globals.get()));
  return made && PyFunction_Check(made.get()) ? compat::vectorcallOf(made.get()) : nullptr;
}

} // namespace

bool CallHook::install(PyObject* function, vectorcallfunc call) {
  if (function_ != nullptr || function == nullptr || !PyFunction_Check(function)) {
    return false;
  }
  own_ = compat::vectorcallOf(function);
  if (own_ == nullptr || own_ != pythonsOwn()) {
    return false;
  }
  Py_INCREF(function);
  function_ = function;
  ours_ = call;
  compat::setVectorcall(function_, ours_);
  return true;
}

void CallHook::setEnabled(bool enabled) {
  if (function_ != nullptr) {
    compat::setVectorcall(function_, enabled ? ours_ : own_);
  }
}

} // namespace commtap
