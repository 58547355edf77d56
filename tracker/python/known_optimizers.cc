// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/known_optimizers.h"

#include <utility>

namespace commtap {

KnownOptimizers::Step KnownOptimizers::begins(PyObject* optimizer) {
  const auto found = numbers_.find(optimizer);
  if (found != numbers_.end() && PyWeakref_GetObject(known_[found->second].reference.get()) == optimizer) {
    return {found->second, ++known_[found->second].steps};
  }
  PyRef reference(PyWeakref_NewRef(optimizer, nullptr));
  if (!reference) {
    PyErr_Clear();
    return {};
  }
  const auto number = static_cast<uint32_t>(known_.size());
  known_.push_back({std::move(reference), 1});
  numbers_[optimizer] = number;
  return {number, 1};
}

std::vector<PyRef> KnownOptimizers::live() const {
  std::vector<PyRef> optimizers;
  for (const Known& known : known_) {
    if (PyObject* optimizer = PyWeakref_GetObject(known.reference.get()); optimizer != Py_None) {
      optimizers.push_back(PyRef::borrow(optimizer));
    }
  }
  return optimizers;
}

} // namespace commtap
