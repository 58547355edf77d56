// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

namespace commtap {

/// Watches the calls of one Python function by its vectorcall field: the function object stays the same object, with
/// the same code and identity, no frame appears in tracebacks, and Dynamo, which reads the code, never sees us.
class CallHook {
 public:
  /// Calls of `function` go to `call`, which must end by calling own(). False if somebody else has put a C
  /// function of theirs there, or if it is no plain Python function.
  bool install(PyObject* function, vectorcallfunc call);
  void setEnabled(bool enabled);

  /// CPython's.
  vectorcallfunc own() const {
    return own_;
  }

 private:
  PyObject* function_ = nullptr; ///< owned: it lives as long as torch does
  vectorcallfunc own_ = nullptr;
  vectorcallfunc ours_ = nullptr;
};

} // namespace commtap
