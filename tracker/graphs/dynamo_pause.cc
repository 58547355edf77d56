// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/dynamo_pause.h"

#include "tracker/torch/hook_names.h"

namespace commtap {

DynamoPause::DynamoPause() {
  static PyObject* const module_name = PyUnicode_InternFromString(torch_names::kEvalFrameFile);
  const ErrorGuard keep_errors;
  const PyRef module(PyImport_GetModule(module_name));
  set_callback_ = attribute(module.get(), torch_names::kSetEvalFrame);
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
