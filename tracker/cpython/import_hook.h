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

} // namespace commtap
