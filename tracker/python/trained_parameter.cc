// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/trained_parameter.h"

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/dynamo_pause.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

constexpr int kMostModules = 500; ///< of a model whose first layers are frozen
constexpr int kMostDepth = 100;   ///< nesting of modules

/// Walks a tree of modules, depth first.
class Walk {
 public:
  /// Returns the first trained parameter, borrowed; nullptr if there is none.
  PyObject* find(PyObject* module, int depth) {
    const bool looks = depth < kMostDepth && visited_++ < kMostModules;
    PyObject* found = looks ? trainedIn(parametersOf(module)) : nullptr;
    PyObject* children = !looks || found != nullptr ? nullptr : childrenOf(module);
    PyObject* name = nullptr;
    PyObject* child = nullptr;
    for (Py_ssize_t at = 0;
         found == nullptr && children != nullptr && PyDict_Next(children, &at, &name, &child) != 0;) {
      found = child == Py_None ? nullptr : find(child, depth + 1);
    }
    return found;
  }

 private:
  static PyObject* trainedIn(PyObject* parameters) {
    PyObject* name = nullptr;
    PyObject* tensor = nullptr;
    Py_ssize_t at = 0;
    while (parameters != nullptr && PyDict_Next(parameters, &at, &name, &tensor) != 0) {
      const PyRef requires_grad = attribute(tensor, torch_names::kRequiresGrad); // None has none
      if (requires_grad.get() == Py_True) {
        return tensor;
      }
    }
    return nullptr;
  }

  int visited_ = 0;
};

} // namespace

void* trainedParameter(const CommtapHost& host, PyObject* module) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  const PlainTensors plain(host);
  PyObject* tensor = Walk().find(module, 0);
  PyErr_Clear();
  return tensor == nullptr ? nullptr : tensorImpl(tensor);
}

} // namespace commtap
