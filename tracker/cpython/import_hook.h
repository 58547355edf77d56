// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <vector>

namespace commtap {

/// Runs `then(module)` right after the Python module has executed, before the job's code can use it.
struct ImportAction {
  const char* module;
  void (*then)(PyObject* module);
};

/// Runs the actions of loaded modules at once. For the others, installs a finder that removes itself from
/// sys.meta_path once all of them are loaded. Leaves the modules' specs and loaders as they would be without commtap.
/// Returns false on a Python error, which it clears.
bool afterImport(const std::vector<ImportAction>& actions);

/// Intercepts the calls of one Python function through its vectorcall field. The function object keeps its identity
/// and its code. No frame appears in tracebacks, and Dynamo, which reads the code, does not see the hook.
class CallHook {
 public:
  /// Redirects calls of `function` to `call`, which must end by calling own(). Returns false if `function` is not a
  /// plain Python function, if its vectorcall is not CPython's own, or if this hook is already installed.
  bool install(PyObject* function, vectorcallfunc call);
  void setEnabled(bool enabled);

  /// Returns CPython's own vectorcall of the function.
  vectorcallfunc own() const {
    return own_;
  }

 private:
  PyObject* function_ = nullptr; ///< owned, never released: torch lives as long as the process
  vectorcallfunc own_ = nullptr;
  vectorcallfunc ours_ = nullptr;
};

} // namespace commtap
