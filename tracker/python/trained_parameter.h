// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include "tracker/core/python_host.h"

namespace commtap {

/// Returns the TensorImpl of the first parameter that requires a gradient, of `module` or of a module below it; nullptr
/// if there is none among the first few hundred modules. The caller holds the GIL.
void* trainedParameter(const CommtapHost& host, PyObject* module);

} // namespace commtap
