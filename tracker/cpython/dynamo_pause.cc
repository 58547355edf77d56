// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/dynamo_pause.h"

namespace commtap {

DynamoPause::DynamoPause() {
  static PyObject* const module_name = PyUnicode_InternFromString("torch._C._dynamo.eval_frame");
  const ErrorGuard keep_errors;
  const PyRef module(PyImport_GetModule(module_name));
  set_callback_ = attribute(module.get(), "set_eval_frame"); // per thread; torch._dynamo.disable() uses it too
  if (set_callback_) {
    callback_ = PyRef(PyObject_CallOneArg(set_callback_.get(), Py_None));
  }
}

DynamoPause::~DynamoPause() {
  if (callback_) {
    const ErrorGuard keep_errors;
    const PyRef none(PyObject_CallOneArg(set_callback_.get(), callback_.get()));
  }
}

} // namespace commtap
