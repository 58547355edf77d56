// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/py_ref.h"

namespace commtap {

std::string textOf(PyObject* object) {
  const PyRef text(object == nullptr ? nullptr : PyObject_Str(object));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string copy = utf8 == nullptr ? "" : utf8;
  PyErr_Clear();
  return copy;
}

} // namespace commtap
