// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>
#include <string_view>
#include <utility>

namespace commtap {

/// Owns one Python reference. Is empty after a Python error, which stays set. The caller holds the GIL.
class PyRef {
 public:
  PyRef() = default;
  explicit PyRef(PyObject* owned) : object_(owned) {}
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;
  ~PyRef() {
    Py_XDECREF(object_);
  }

  static PyRef borrow(PyObject* object) {
    Py_XINCREF(object);
    return PyRef(object);
  }

  explicit operator bool() const {
    return object_ != nullptr;
  }
  PyObject* get() const {
    return object_;
  }

 private:
  PyObject* object_ = nullptr;
};

inline PyRef attribute(PyObject* object, const char* name) {
  return PyRef(object == nullptr ? nullptr : PyObject_GetAttrString(object, name));
}

/// Returns str(object) as UTF-8, or "" if that fails. Clears errors.
inline std::string textOf(PyObject* object) {
  const PyRef text(object == nullptr ? nullptr : PyObject_Str(object));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string copy = utf8 == nullptr ? "" : utf8;
  PyErr_Clear();
  return copy;
}

/// Returns a view of an ASCII string; "" for any other, and for nullptr. Needs no GIL, because it reads nothing that
/// another thread may change.
inline std::string_view asciiOf(PyObject* text) {
  const bool is_ascii = text != nullptr && PyUnicode_Check(text) && PyUnicode_IS_COMPACT_ASCII(text);
  return is_ascii ? std::string_view(
                        static_cast<const char*>(PyUnicode_DATA(text)), static_cast<size_t>(PyUnicode_GET_LENGTH(text)))
                  : std::string_view();
}

/// Saves the pending Python error and restores it at scope exit. The tracker runs between two lines of the job's code
/// and must not change its error state.
class ErrorGuard {
 public:
  ErrorGuard() {
    PyErr_Fetch(&type_, &value_, &traceback_);
  }
  ErrorGuard(const ErrorGuard&) = delete;
  ErrorGuard& operator=(const ErrorGuard&) = delete;
  ~ErrorGuard() {
    PyErr_Clear();
    PyErr_Restore(type_, value_, traceback_);
  }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

} // namespace commtap
