// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_map.h"

#include <algorithm>

#include "tracker/core/clock.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/module_names.h"

namespace commtap {

bool ModuleMap::add(PyObject* module, uint32_t id) {
  PyObject* reference = PyWeakref_NewRef(module, callback_);
  if (reference == nullptr) {
    PyErr_Clear();
    return false;
  }
  // The reference must outlive the module, or its callback never runs. Create it before set_module(): an entry that is
  // never removed would later match a new module at the same address.
  module_of_reference_[reference] = module;
  if (host_.set_module(module, id) == 0) {
    module_of_reference_.erase(reference);
    Py_DECREF(reference);
    return false;
  }
  if (id != kTransparent) {
    object_of_id_[id] = module;
  }
  return true;
}

PyObject* ModuleMap::object(uint32_t id) const {
  const auto found = object_of_id_.find(id);
  return found == object_of_id_.end() ? nullptr : found->second;
}

std::vector<std::pair<uint32_t, PyRef>> ModuleMap::live() const {
  std::vector<std::pair<uint32_t, PyRef>> modules;
  modules.reserve(object_of_id_.size());
  for (const auto& [id, module] : object_of_id_) {
    modules.emplace_back(id, PyRef::borrow(module));
  }
  std::sort(modules.begin(), modules.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return modules;
}

uint32_t ModuleMap::erase(PyObject* weak_reference) {
  const auto found = module_of_reference_.find(weak_reference);
  if (found == module_of_reference_.end()) {
    return kUnknown;
  }
  PyObject* module = found->second;
  module_of_reference_.erase(found);
  const uint32_t id = host_.forget_module(module);
  if (object(id) == module) {
    object_of_id_.erase(id);
  }
  Py_DECREF(weak_reference);
  return id;
}

namespace {

struct Observer {
  PyObject* before = nullptr; ///< owned
  PyObject* after = nullptr;  ///< owned
};

Observer& observer() {
  static auto* instance = new Observer(); // leaked on purpose: module calls go on until the interpreter exits
  return *instance;
}

PyRef positional(PyObject* const* arguments, Py_ssize_t count) {
  PyRef tuple(PyTuple_New(count));
  for (Py_ssize_t i = 0; tuple && i < count; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(arguments[i]));
  }
  return tuple;
}

/// Returns the keyword arguments as a dict; None if there are none; empty on a Python error.
PyRef keywords(PyObject* const* values, PyObject* names) {
  if (names == nullptr || PyTuple_GET_SIZE(names) == 0) {
    return PyRef::borrow(Py_None);
  }
  PyRef dict(PyDict_New());
  for (Py_ssize_t i = 0; dict && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(names, i), values[i]) != 0) {
      return {};
    }
  }
  return dict;
}

/// Notifies the observer of a call that raised. Drops the observer's own error: the caller gets the call's exception.
void tellFailure(PyObject* after, PyObject* module, PyObject* args, PyObject* kwargs) {
  const ErrorGuard keep_errors;
  const PyRef ignored(PyObject_CallFunctionObjArgs(after, module, args, kwargs, Py_None, nullptr));
}

} // namespace

bool setObserver(PyObject* before, PyObject* after) {
  if ((before == nullptr) != (after == nullptr) || (before != nullptr && PyCallable_Check(before) == 0) ||
      (after != nullptr && PyCallable_Check(after) == 0)) {
    return false;
  }
  const PyRef old_before(observer().before);
  const PyRef old_after(observer().after);
  Py_XINCREF(before);
  Py_XINCREF(after);
  observer() = {before, after};
  return true;
}

PyObject*
callWithObserver(vectorcallfunc own, PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  const Py_ssize_t count = PyVectorcall_NARGS(flags);
  const PyRef before = PyRef::borrow(observer().before);
  const PyRef after = PyRef::borrow(observer().after);
  if (!before || !after) { // another thread has removed the observer
    return own(function, arguments, flags, names);
  }
  const PyRef args = positional(arguments + 1, count - 1);
  const PyRef kwargs = args ? keywords(arguments + count, names) : PyRef();
  if (!kwargs) {
    return nullptr;
  }
  PyObject* module = arguments[0];
  const PyRef began(PyObject_CallFunctionObjArgs(before.get(), module, args.get(), kwargs.get(), nullptr));
  if (!began) {
    return nullptr;
  }
  PyRef result(own(function, arguments, flags, names));
  if (!result) {
    tellFailure(after.get(), module, args.get(), kwargs.get());
    return nullptr;
  }
  const PyRef ended(PyObject_CallFunctionObjArgs(after.get(), module, args.get(), kwargs.get(), result.get(), nullptr));
  return ended ? Py_NewRef(result.get()) : nullptr;
}

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
