// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/tensors_in.h"

#include <Python.h>

#include <string_view>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/dynamo_pause.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

constexpr int kMaxNesting = 4;       // of containers
constexpr Py_ssize_t kMaxItems = 64; // of one container

class Collected {
 public:
  Collected(void** tensors, size_t capacity) : tensors_(tensors), capacity_(capacity) {}

  void add(PyObject* object, int depth) {
    if (isTensor(object)) {
      addTensor(object);
    } else if (PyTuple_Check(object) || PyList_Check(object)) {
      for (Py_ssize_t i = 0; depth < kMaxNesting && i < PySequence_Fast_GET_SIZE(object) && i < kMaxItems; ++i) {
        add(PySequence_Fast_GET_ITEM(object, i), depth + 1);
      }
    } else if (PyDict_Check(object)) {
      PyObject* name = nullptr;
      PyObject* value = nullptr;
      Py_ssize_t at = 0;
      for (Py_ssize_t i = 0; depth < kMaxNesting && i < kMaxItems && PyDict_Next(object, &at, &name, &value) != 0;
           ++i) {
        add(value, depth + 1);
      }
    }
  }
  size_t count() const {
    return count_;
  }

 private:
  void addTensor(PyObject* tensor) {
    const PyRef local = attribute(tensor, torch_names::kLocalTensor); // a DTensor's
    PyErr_Clear();
    void* impl = tensorImpl(local ? local.get() : tensor);
    if (impl != nullptr && count_ < capacity_) {
      tensors_[count_++] = impl;
    }
  }

  void** tensors_;
  size_t capacity_;
  size_t count_ = 0;
};

} // namespace

bool isTensor(PyObject* object) {
  for (const PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base) {
    if (std::string_view(type->tp_name) == torch_names::kTensorBase) {
      return true;
    }
  }
  return false;
}

size_t
tensorsIn(const CommtapHost& host, void* const* objects, size_t count, void* names, void** tensors, size_t capacity) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  const PlainTensors plain(host);
  Collected collected(tensors, capacity);
  const size_t named = names == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(static_cast<PyObject*>(names)));
  for (size_t i = 0; i < count + named; ++i) {
    collected.add(static_cast<PyObject*>(objects[i]), 0);
  }
  return collected.count();
}

} // namespace commtap
