// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/tensor_class.h"

#include <Python.h>

#include <string_view>

namespace commtap {

CommtapTensorClass tensorClass(void* tensor) {
  for (const PyTypeObject* type = Py_TYPE(static_cast<PyObject*>(tensor)); type != nullptr; type = type->tp_base) {
    const std::string_view name = type->tp_name;
    if (name == "DTensor") {
      return kCommtapDtensor;
    }
    if (name == "FakeTensor" || name == "FunctionalTensor") {
      return kCommtapTracedTensor;
    }
  }
  return kCommtapPlainTensor;
}

} // namespace commtap
