// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/wrappers.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tracker/cpython/py_ref.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

std::string_view nameOf(PyTypeObject* type) {
  const std::string_view name = type->tp_name;
  return name.substr(name.rfind('.') + 1); // tp_name of a static type begins with its module
}

/// Returns the type's i-th base, borrowed; nullptr if there is none.
PyTypeObject* baseOf(PyTypeObject* type, Py_ssize_t i) {
  PyObject* bases = type->tp_bases;
  const bool is_there = bases != nullptr && PyTuple_Check(bases) && i < PyTuple_GET_SIZE(bases);
  return is_there ? reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i)) : nullptr;
}

/// Returns the class that `swap` replaced by this one, borrowed; nullptr if this one replaces none.
PyTypeObject* swappedFrom(PyTypeObject* type, const torch_names::Swap& swap) {
  PyTypeObject* first = baseOf(type, 0);
  PyTypeObject* last = swap.mixin == nullptr ? first : baseOf(type, 1);
  const bool has_bases = last != nullptr && baseOf(type, swap.mixin == nullptr ? 1 : 2) == nullptr &&
                         (swap.mixin == nullptr || nameOf(first) == swap.mixin);
  return has_bases && nameOf(type) == std::string(swap.prefix) + std::string(nameOf(last)) ? last : nullptr;
}

/// Returns the class that the user wrote, borrowed, and calls visit(swap) for each swap of it, the outermost first.
template <typename Visit>
PyTypeObject* userClass(PyObject* module, const Visit& visit) {
  PyTypeObject* type = Py_TYPE(module);
  for (int depth = 0; depth < kMaxWrapperNesting; ++depth) {
    PyTypeObject* before = nullptr;
    for (const torch_names::Swap& swap : torch_names::kSwaps) {
      before = swappedFrom(type, swap);
      if (before != nullptr) {
        visit(swap);
        break;
      }
    }
    if (before == nullptr) {
      break;
    }
    type = before;
  }
  return type;
}

bool isEmptyDict(PyObject* dict, const char* name) {
  PyObject* found = dict == nullptr ? nullptr : PyDict_GetItemString(dict, name);
  return found == nullptr || !PyDict_Check(found) || PyDict_GET_SIZE(found) == 0;
}

/// Returns whether `module` is its only child and it has no tensors of its own: its class only forwards.
bool onlyForwards(PyObject* module) {
  PyObject* children = childrenOf(module);
  PyObject* dict = dictOf(module);
  return children != nullptr && PyDict_GET_SIZE(children) == 1 && isEmptyDict(dict, torch_names::kParameters) &&
         isEmptyDict(dict, torch_names::kBuffers);
}

} // namespace

bool inheritsFrom(PyObject* object, const char* name) {
  PyObject* bases = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    if (std::strcmp(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i))->tp_name, name) == 0) {
      return true;
    }
  }
  return false;
}

bool isModule(PyObject* object) {
  return inheritsFrom(object, "Module") && childrenOf(object) != nullptr;
}

PyObject* dictOf(PyObject* module) {
  PyObject** dict = _PyObject_GetDictPtr(module);
  if (dict != nullptr && *dict != nullptr) {
    return *dict;
  }
  PyObject* made = PyObject_GenericGetDict(module, nullptr); // 3.11+ may create it only here
  Py_XDECREF(made);                                          // the module owns it
  PyErr_Clear();
  return made;
}

PyObject* childrenOf(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* children = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kModules);
  if (children != nullptr && !PyDict_Check(children)) {
    PyObject* inner = dictOf(children); // an attribute that code makes would have no other owner
    children = inner == nullptr ? nullptr : PyDict_GetItemString(inner, torch_names::kScriptModules);
  }
  return children != nullptr && PyDict_Check(children) ? children : nullptr;
}

PyObject* parametersOf(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* parameters = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kParameters);
  return parameters != nullptr && PyDict_Check(parameters) ? parameters : nullptr;
}

bool isWrapperComponent(PyObject* parent, const char* component) {
  const bool is_known = std::any_of(
      std::begin(torch_names::kWrappers), std::end(torch_names::kWrappers), [&](const torch_names::Wrapper& wrapper) {
        return std::strcmp(component, wrapper.attribute) == 0 &&
               (wrapper.class_name == torch_names::kAnyClass || inheritsFrom(parent, wrapper.class_name));
      });
  return is_known || (std::strcmp(component, "module") == 0 && onlyForwards(parent));
}

PyObject* directlyWrappedBy(PyObject* module) {
  PyObject* children = childrenOf(module);
  PyObject* name = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; children != nullptr && PyDict_Next(children, &at, &name, &child) != 0;) {
    if (child != Py_None && isWrapperComponent(module, textOf(name).c_str())) {
      return child;
    }
  }
  return nullptr;
}

PyObject* wrappedBy(PyObject* module) {
  for (int depth = 0; depth < kMaxWrapperNesting; ++depth) {
    PyObject* inner = directlyWrappedBy(module);
    if (inner == nullptr) {
      break;
    }
    module = inner;
  }
  return module;
}

std::string className(PyObject* module) {
  return std::string(nameOf(Py_TYPE(module)));
}

std::string userClassName(PyObject* module) {
  return std::string(nameOf(userClass(module, [](const torch_names::Swap& /*swap*/) {})));
}

std::string classChain(PyObject* module) {
  std::string chain;
  PyTypeObject* type =
      userClass(module, [&chain](const torch_names::Swap& swap) { chain += std::string(swap.reported) + "/"; });
  return chain + std::string(nameOf(type));
}

} // namespace commtap
