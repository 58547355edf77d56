// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

namespace commtap {

/// Watches the calls of one Python function by its vectorcall field: the function object stays the same object, with
/// the same code and identity, no frame appears in tracebacks, and Dynamo, which reads the code, never sees us.
class CallHook {
 public:
  /// Calls of `function` go to `call`, which must end by calling original(). False if somebody else has put a C
  /// function of theirs there, or if it is no plain Python function.
  bool install(PyObject* function, vectorcallfunc call);
  void setEnabled(bool enabled);

  /// What `call` must end by calling.
  vectorcallfunc original() const {
    return original_;
  }

  /// Puts `inner` between `call` and the function, which `inner` must end by calling own(); nullptr takes it out.
  void setInner(vectorcallfunc inner) {
    original_ = inner != nullptr ? inner : own_;
  }
  vectorcallfunc own() const {
    return own_;
  }

 private:
  PyObject* function_ = nullptr; ///< owned: it lives as long as torch does
  vectorcallfunc own_ = nullptr; ///< CPython's
  vectorcallfunc original_ = nullptr;
  vectorcallfunc ours_ = nullptr;
};

} // namespace commtap
