// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/tensor_class.h"

#include <Python.h>

#include <string_view>

#include "tracker/torch/module_names.h"

namespace commtap {

CommtapTensorClass tensorClass(void* tensor) {
  for (const PyTypeObject* type = Py_TYPE(static_cast<PyObject*>(tensor)); type != nullptr; type = type->tp_base) {
    const std::string_view name = type->tp_name;
    if (name == torch_names::kDtensor) {
      return kCommtapDtensor;
    }
    if (name == torch_names::kFakeTensor || name == torch_names::kFunctionalTensor) {
      return kCommtapTracedTensor;
    }
  }
  return kCommtapPlainTensor;
}

} // namespace commtap
