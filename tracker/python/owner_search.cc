// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/owner_search.h"

#include "tracker/core/clock.h"
#include "tracker/cpython/frame_locals.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

/// Calls visit(value) for the variables of the module-level code that a frame runs; for a function, for none.
template <typename Visit>
void visitGlobals(PyFrameObject* frame, int most, const Visit& visit) {
  const PyRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  PyObject* name = reinterpret_cast<PyCodeObject*>(code.get())->co_name;
  if (PyUnicode_CompareWithASCIIString(name, "<module>") != 0) {
    return;
  }
  const PyRef globals = attribute(reinterpret_cast<PyObject*>(frame), "f_globals"); // the module's dict: no copy
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  for (int i = 0; globals && i < most && PyDict_Next(globals.get(), &at, &key, &value) != 0; ++i) {
    visit(value);
  }
}

} // namespace

bool OwnerSearch::isOutOfTime() {
  constexpr int kBetween = 256; // modules between two looks at the clock
  if (++visited_ % kBetween == 0) {
    gave_up_ = gave_up_ || spent_ns_ + (threadNow() - began_ns_) > kMostNs;
  }
  return gave_up_;
}

/// Returns whether found_ is below `module`.
bool OwnerSearch::contains(PyObject* module, int depth) {
  PyObject* children = depth < kMostDepth ? childrenOf(module) : nullptr;
  PyObject* name = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; children != nullptr && PyDict_Next(children, &at, &name, &child) != 0;) {
    if (isOutOfTime()) {
      return false;
    }
    if (child == found_ || (child != Py_None && contains(child, depth + 1))) {
      return true;
    }
  }
  return false;
}

void OwnerSearch::lookAt(PyObject* value) {
  const bool is_row = isModule(value) && !inheritsFrom(value, torch_names::kModuleList) &&
                      !inheritsFrom(value, torch_names::kModuleDict);
  if (is_row && value != found_ && !isOutOfTime() && contains(value, 0)) {
    found_ = value;
  }
}

/// Looks at the attributes of an object that is not a module, such as a trainer or a pipeline's stage.
void OwnerSearch::lookIntoObject(PyObject* object) {
  PyObject** dict = PyType_Check(object) != 0 ? nullptr : _PyObject_GetDictPtr(object);
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t at = 0;
  const bool has_dict = dict != nullptr && *dict != nullptr && PyDict_Check(*dict);
  for (int i = 0; has_dict && i < kMostVariables && PyDict_Next(*dict, &at, &key, &value) != 0; ++i) {
    lookAt(value);
  }
}

PyObject* OwnerSearch::ownerOf(PyObject* module) {
  struct Look {
    OwnerSearch* search;
    bool is_first;
  };
  const auto visit = [](PyObject* value, void* data) {
    auto* look = static_cast<Look*>(data);
    if (isModule(value)) {
      look->search->lookAt(value);
    } else if (look->is_first) { // of a method: the object
      look->search->lookIntoObject(value);
    }
    look->is_first = false;
    return look->search->gave_up_ ? 1 : 0;
  };
  int& misses = misses_[Py_TYPE(module)];
  if (misses >= kMostMisses) {
    gave_up_ = false;
    return nullptr;
  }
  found_ = module;
  gave_up_ = spent_ns_ > kMostNs;
  began_ns_ = threadNow();
  PyRef frame = gave_up_ ? PyRef() : PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int depth = 0; depth < kMostFrames && frame && !gave_up_; ++depth) {
    auto* running = reinterpret_cast<PyFrameObject*>(frame.get());
    Look look{this, true};
    commtap_visit_locals(running, kMostVariables, visit, &look);
    visitGlobals(running, 4 * kMostVariables, [this](PyObject* value) { lookAt(value); });
    frame = PyRef(reinterpret_cast<PyObject*>(PyFrame_GetBack(running)));
  }
  spent_ns_ += threadNow() - began_ns_;
  PyErr_Clear();
  misses += found_ == module ? 1 : 0;
  return found_ == module ? nullptr : found_;
}

} // namespace commtap
