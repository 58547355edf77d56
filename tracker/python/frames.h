// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"

namespace commtap {

/// Returns the module objects, or the closure, that the frames of torch's own Python code on this thread name. `number`
/// is the stage of a pipeline. Leaves no Python error. The caller holds the GIL.
std::vector<PyRef> modulesInFrames(CommtapInFrames what, uint32_t number);

} // namespace commtap
