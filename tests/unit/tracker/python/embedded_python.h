// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <functional>
#include <string>

#include "tracker/cpython/py_ref.h"

namespace commtap {

/// A Python module of a test, in the interpreter that the test program embeds. At its end it drops its variables and
/// everything that only they refer to.
class EmbeddedPython {
 public:
  /// Runs `text` as the module's code. `file` is the path that the code objects get.
  explicit EmbeddedPython(const char* text = "", const char* file = "test.py");
  EmbeddedPython(const EmbeddedPython&) = delete;
  EmbeddedPython& operator=(const EmbeddedPython&) = delete;
  ~EmbeddedPython();

  /// Runs more code. Fails the test, and prints the traceback, if it raises.
  void run(const char* text, const char* file = "test.py") const;
  /// Returns the value of an expression.
  PyRef operator[](const char* expression) const;
  /// Returns str() of an expression's value.
  std::string text(const char* expression) const;
  /// Gives the module a function without arguments that calls `body` and returns None.
  void define(const char* name, std::function<void()> body) const;

 private:
  PyRef globals_;
};

/// Returns the number of references to an object.
Py_ssize_t referencesTo(const PyRef& object);

/// Raises ValueError("before") for as long as it lives, and fails the test if another error is pending at its end. Use
/// it around functions that must keep the job's error state.
class PendingError {
 public:
  PendingError();
  PendingError(const PendingError&) = delete;
  PendingError& operator=(const PendingError&) = delete;
  ~PendingError();
};

} // namespace commtap
