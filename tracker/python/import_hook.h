// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <vector>

namespace commtap {

/// Runs `then(module)` right after a Python module has executed, before anybody else can use it.
struct ImportAction {
  const char* module;
  void (*then)(PyObject* module);
};

/// For modules that are already there at once; for the others through a finder that takes itself out of
/// sys.meta_path once all have come. The modules' specs and loaders stay what they would have been. False on a Python
/// error (cleared).
bool afterImport(const std::vector<ImportAction>& actions);

} // namespace commtap
