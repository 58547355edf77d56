// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// The tracker's Python part: watches module calls and the making of process groups.

#include <Python.h>

#include <exception>

#include "tracker/export.h"
#include "tracker/python/call_hook.h"
#include "tracker/python/import_hook.h"
#include "tracker/python/module_tree.h"
#include "tracker/python/py_ref.h"
#include "tracker/python_host.h"

namespace commtap {
namespace {

/// One per process, never destroyed: module calls happen until the interpreter is gone.
struct Part {
  explicit Part(const CommtapHost& tracker) : host(tracker), tree(tracker) {}

  const CommtapHost& host;
  ModuleTree tree;
  CallHook module_call;
  CallHook group_making;
  CallHook label_enter;
  CallHook label_exit;
};

Part* part = nullptr;

uint32_t idOf(PyObject* module) noexcept {
  try {
    return part->tree.idOf(module);
  } catch (const std::exception&) { // no memory: the call counts for whoever makes it
    return part->host.current_module();
  }
}

/// torch.nn.Module.__call__, around which every module call of the job passes.
PyObject* callModule(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  const uint32_t id = PyVectorcall_NARGS(flags) == 0 ? ModuleMap::kTransparent : idOf(arguments[0]);
  if (id == ModuleMap::kTransparent) {
    return part->module_call.original()(function, arguments, flags, names);
  }
  const uint32_t depth = part->host.enter(id);
  PyObject* result = part->module_call.original()(function, arguments, flags, names);
  part->host.leave(depth);
  return result;
}

/// torch.distributed's one way of making a process group; returns (group, store).
PyObject* makeGroup(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  PyObject* result = part->group_making.original()(function, arguments, flags, names);
  if (result != nullptr && PyTuple_Check(result) && PyTuple_GET_SIZE(result) > 0) {
    const ErrorGuard keep_errors;
    const PyRef name = attribute(PyTuple_GET_ITEM(result, 0), "group_name");
    PyErr_Clear();
    if (name && PyUnicode_Check(name.get())) { // a rank outside of the group gets a plain number
      part->host.group_made(textOf(name.get()).c_str());
    }
  }
  return result;
}

/// Tells the tracker about a record_function object, which keeps its label in `name`.
void tellLabel(PyObject* label, void (*tell)(const char*)) {
  static PyObject* const attribute_name = PyUnicode_InternFromString("name");
  const ErrorGuard keep_errors;
  const PyRef name(PyObject_GetAttr(label, attribute_name));
  const char* text = name && PyUnicode_Check(name.get()) ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (text != nullptr) {
    tell(text);
  }
}

/// torch.autograd.profiler.record_function.__enter__ and __exit__: labels are torch's own words for what it does.
PyObject* enterLabel(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  if (PyVectorcall_NARGS(flags) > 0) {
    tellLabel(arguments[0], part->host.open_label);
  }
  return part->label_enter.original()(function, arguments, flags, names);
}

PyObject* exitLabel(PyObject* function, PyObject* const* arguments, size_t flags, PyObject* names) {
  PyObject* result = part->label_exit.original()(function, arguments, flags, names);
  if (PyVectorcall_NARGS(flags) > 0) {
    tellLabel(arguments[0], part->host.close_label);
  }
  return result;
}

void watchLabels(PyObject* module) {
  const PyRef type = attribute(module, "record_function");
  const PyRef enter = type ? attribute(type.get(), "__enter__") : PyRef();
  const PyRef exit = type ? attribute(type.get(), "__exit__") : PyRef();
  if (!part->label_enter.install(enter.get(), enterLabel) || !part->label_exit.install(exit.get(), exitLabel)) {
    part->label_enter.setEnabled(false);
    part->host.labels_missing();
  }
}

void watchModules(PyObject* module) {
  const PyRef type = attribute(module, "Module");
  const PyRef call = type ? attribute(type.get(), "__call__") : PyRef();
  if (!part->module_call.install(call.get(), callModule)) {
    part->host.hook_missing("torch.nn.Module.__call__ is not a plain Python function");
  }
}

void watchGroups(PyObject* module) {
  const PyRef make = attribute(module, "_new_process_group_helper");
  part->group_making.install(make.get(), makeGroup); // without it a group is known from its first collective on
}

int start(const CommtapHost* host) {
  if (part != nullptr) {
    return 0;
  }
  const PyGILState_STATE gil = PyGILState_Ensure();
  part = new Part(*host);
  const bool ok = afterImport({
      {"torch.nn.modules.module", watchModules},
      {"torch.autograd.profiler", watchLabels},
      {"torch.distributed.distributed_c10d", watchGroups},
  });
  if (!ok) {
    host->hook_missing("sys.meta_path is no list");
  }
  PyGILState_Release(gil);
  return ok ? 0 : 1;
}

void setEnabled(int enabled) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  part->module_call.setEnabled(enabled != 0);
  part->group_making.setEnabled(enabled != 0);
  part->label_enter.setEnabled(enabled != 0);
  part->label_exit.setEnabled(enabled != 0);
  PyGILState_Release(gil);
}

} // namespace
} // namespace commtap

extern "C" COMMTAP_EXPORT const CommtapPython commtap_python;
const CommtapPython commtap_python = {COMMTAP_PYTHON_ABI, PY_MINOR_VERSION, commtap::start, commtap::setEnabled};
