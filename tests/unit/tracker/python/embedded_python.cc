// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/tracker/python/embedded_python.h"

#include <utility>

#include <doctest/doctest.h>

namespace commtap {
namespace {

PyRef evaluated(const char* text, const char* file, int start, PyObject* globals) {
  const PyRef code(Py_CompileString(text, file, start));
  PyRef value(code ? PyEval_EvalCode(code.get(), globals, globals) : nullptr);
  if (!value) {
    PyErr_Print();
    FAIL(std::string(text));
  }
  return value;
}

using Body = std::function<void()>;

Body* bodyIn(PyObject* capsule) {
  return static_cast<Body*>(PyCapsule_GetPointer(capsule, nullptr));
}

PyObject* callBody(PyObject* capsule, PyObject* /*arguments*/) {
  (*bodyIn(capsule))();
  Py_RETURN_NONE;
}

PyMethodDef body_method = {"body", callBody, METH_NOARGS, nullptr};

} // namespace

EmbeddedPython::EmbeddedPython(const char* text, const char* file) : globals_(PyDict_New()) {
  const PyRef name(PyUnicode_FromString("test"));
  PyDict_SetItemString(globals_.get(), "__name__", name.get());
  run(text, file);
}

EmbeddedPython::~EmbeddedPython() {
  PyDict_Clear(globals_.get());
  PyGC_Collect();
}

void EmbeddedPython::run(const char* text, const char* file) const {
  evaluated(text, file, Py_file_input, globals_.get());
}

PyRef EmbeddedPython::operator[](const char* expression) const {
  return evaluated(expression, "expression.py", Py_eval_input, globals_.get());
}

std::string EmbeddedPython::text(const char* expression) const {
  return textOf((*this)[expression].get());
}

void EmbeddedPython::define(const char* name, std::function<void()> body) const {
  const auto destroy = [](PyObject* capsule) { delete bodyIn(capsule); };
  const PyRef capsule(PyCapsule_New(new Body(std::move(body)), nullptr, destroy));
  const PyRef function(PyCFunction_New(&body_method, capsule.get()));
  PyDict_SetItemString(globals_.get(), name, function.get());
}

Py_ssize_t referencesTo(const PyRef& object) {
  return Py_REFCNT(object.get());
}

PendingError::PendingError() {
  PyErr_SetString(PyExc_ValueError, "before");
}

PendingError::~PendingError() {
  CHECK(PyErr_ExceptionMatches(PyExc_ValueError));
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  CHECK(textOf(value) == "before");
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

} // namespace commtap
