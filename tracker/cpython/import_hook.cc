// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/cpython/import_hook.h"

#include <algorithm>
#include <cstring>

#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {
namespace {

struct State {
  std::vector<ImportAction> waiting;
  PyObject* finder = nullptr; ///< owned while sys.meta_path contains it
};

State& state() {
  static auto* instance = new State();
  return *instance;
}

const ImportAction* waitingFor(const char* module) {
  const auto& waiting = state().waiting;
  const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const ImportAction& action) {
    return std::strcmp(action.module, module) == 0;
  });
  return found == waiting.end() ? nullptr : &*found;
}

void removeFinder() {
  PyObject* meta_path = PySys_GetObject("meta_path");
  const Py_ssize_t index = meta_path == nullptr ? -1 : PySequence_Index(meta_path, state().finder);
  if (index >= 0) {
    PySequence_DelItem(meta_path, index);
  }
  Py_CLEAR(state().finder);
  PyErr_Clear();
}

void runAction(const char* name, PyObject* module) {
  const ErrorGuard keep_errors;
  const ImportAction* found = waitingFor(name);
  if (found == nullptr) {
    return;
  }
  const ImportAction action = *found;
  std::erase_if(state().waiting, [&](const ImportAction& other) { return other.module == action.module; });
  action.then(module);
  if (state().waiting.empty() && state().finder != nullptr) {
    removeFinder();
  }
}

/// Replaces the loader's exec_module for one call. Deletes the instance attribute that holds the replacement before
/// the loader's own method runs, so no code of the job sees it.
PyObject* executeThenAct(PyObject* loader, PyObject* module) {
  if (PyObject_DelAttrString(loader, "exec_module") != 0) {
    return nullptr;
  }
  PyRef result(PyObject_CallMethod(loader, "exec_module", "O", module));
  if (result) {
    const PyRef name = attribute(module, "__name__");
    runAction(textOf(name.get()).c_str(), module);
  }
  return Py_XNewRef(result.get());
}

PyMethodDef execute_method = {"exec_module", executeThenAct, METH_O, nullptr};

/// Returns the module's spec from the other finders. Is empty, with or without an error, if none of them knows it.
PyRef specOfOthers(PyObject* arguments) {
  const PyRef finders = PyRef(PySequence_List(PySys_GetObject("meta_path")));
  for (Py_ssize_t i = 0; finders && i < PyList_GET_SIZE(finders.get()); ++i) {
    PyObject* finder = PyList_GET_ITEM(finders.get(), i);
    const PyRef find = finder == state().finder ? PyRef() : attribute(finder, "find_spec");
    PyErr_Clear();
    if (!find) {
      continue;
    }
    PyRef spec(PyObject_CallObject(find.get(), arguments));
    if (!spec || spec.get() != Py_None) {
      return spec;
    }
  }
  return {};
}

PyObject* findSpec(PyObject*, PyObject* arguments) {
  PyObject* name = PyTuple_Size(arguments) > 0 ? PyTuple_GET_ITEM(arguments, 0) : nullptr;
  if (name == nullptr || waitingFor(textOf(name).c_str()) == nullptr) {
    Py_RETURN_NONE;
  }
  PyRef spec = specOfOthers(arguments);
  if (!spec) {
    return PyErr_Occurred() != nullptr ? nullptr : Py_NewRef(Py_None);
  }
  const PyRef loader = attribute(spec.get(), "loader");
  const PyRef execute(loader ? PyCFunction_New(&execute_method, loader.get()) : nullptr);
  if (!execute || PyObject_SetAttrString(loader.get(), "exec_module", execute.get()) != 0) {
    PyErr_Clear(); // the loader accepts no attributes: import the module without the hook
  }
  return Py_XNewRef(spec.get());
}

PyMethodDef find_method = {"find_spec", findSpec, METH_VARARGS, nullptr};

bool addFinder() {
  PyRef finder(PyModule_New("commtap_finder"));
  const PyRef find(PyCFunction_New(&find_method, nullptr));
  PyObject* meta_path = PySys_GetObject("meta_path");
  if (!finder || !find || meta_path == nullptr || PyObject_SetAttrString(finder.get(), "find_spec", find.get()) != 0 ||
      PyList_Insert(meta_path, 0, finder.get()) != 0) {
    return false;
  }
  state().finder = Py_NewRef(finder.get());
  return true;
}

} // namespace

bool afterImport(const std::vector<ImportAction>& actions) {
  const ErrorGuard keep_errors;
  state().waiting = actions;
  for (const ImportAction& action : actions) {
    PyObject* modules = PyImport_GetModuleDict();
    if (PyObject* module = PyDict_GetItemString(modules, action.module)) {
      runAction(action.module, module);
    }
  }
  return state().waiting.empty() || addFinder();
}

namespace {

/// Returns CPython's own vectorcall for Python functions, read from a new function that no other hook can have changed.
vectorcallfunc pythonsOwn() {
  const PyRef globals(PyDict_New());
  const PyRef made(PyRun_String("lambda: None", Py_eval_input, globals.get(), globals.get()));
  return made && PyFunction_Check(made.get()) ? compat::vectorcallOf(made.get()) : nullptr;
}

} // namespace

bool CallHook::install(PyObject* function, vectorcallfunc call) {
  if (function_ != nullptr || function == nullptr || !PyFunction_Check(function)) {
    return false;
  }
  own_ = compat::vectorcallOf(function);
  if (own_ == nullptr || own_ != pythonsOwn()) {
    return false;
  }
  Py_INCREF(function);
  function_ = function;
  ours_ = call;
  compat::setVectorcall(function_, ours_);
  return true;
}

void CallHook::setEnabled(bool enabled) {
  if (function_ != nullptr) {
    compat::setVectorcall(function_, enabled ? ours_ : own_);
  }
}

} // namespace commtap
