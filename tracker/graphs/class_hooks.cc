// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/graphs/class_hooks.h"

#include <utility>

namespace commtap {
namespace {

PyRef ownerOf(const ClassHook& hook) {
  PyRef owner = attribute(loadedModule(hook.file), hook.owner);
  return owner && PyType_Check(owner.get()) ? std::move(owner) : PyRef();
}

/// Returns what the class has, unbound; empty if it has nothing of that name.
PyRef valueOf(const ClassHook& hook, const PyRef& owner) {
  const PyRef name(PyUnicode_InternFromString(hook.name));
  return PyRef::borrow(name ? _PyType_Lookup(reinterpret_cast<PyTypeObject*>(owner.get()), name.get()) : nullptr);
}

} // namespace

PyObject* loadedModule(const char* name) {
  return PyDict_GetItemString(PyImport_GetModuleDict(), name);
}

void startHook(ClassHook& hook, PyTypeObject* type, PyObject* ours) {
  const PyRef owner = ours == nullptr ? PyRef() : ownerOf(hook);
  PyRef value = owner ? valueOf(hook, owner) : PyRef();
  if (!value || Py_TYPE(value.get()) != type) {
    Py_XDECREF(ours);
    return;
  }
  hook.torchs = Py_NewRef(value.get());
  hook.ours = ours;
  setHook(hook, true);
}

void startMethodHook(ClassHook& hook, PyCFunctionWithKeywords function) {
  hook.method = {
      hook.name,
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
      METH_VARARGS | METH_KEYWORDS,
      nullptr};
  const PyRef object(PyCFunction_New(&hook.method, nullptr));
  startHook(hook, &PyFunction_Type, object ? PyInstanceMethod_New(object.get()) : nullptr);
}

void setHook(const ClassHook& hook, bool watched) {
  const PyRef owner = hook.ours == nullptr ? PyRef() : ownerOf(hook);
  if (owner && valueOf(hook, owner).get() == (watched ? hook.torchs : hook.ours)) {
    PyObject_SetAttrString(owner.get(), hook.name, watched ? hook.ours : hook.torchs);
  }
}

bool isSet(const ClassHook& hook) {
  const PyRef owner = ownerOf(hook);
  return owner && hook.ours != nullptr && valueOf(hook, owner).get() == hook.ours;
}

} // namespace commtap
