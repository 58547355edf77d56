// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/model/options.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// What a Python part is built for, of what Py_GetVersion() says: "3.11"; "3.13t" for the free-threaded build, whose
/// objects are laid out in another way. "" if it says something else.
std::string pythonBuildOf(const std::string& version);

/// If this process runs Python: loads the Python part that fits its version, which then watches module calls.
/// Needs the GIL, which the thread that imports torch has.
/// `labels`: what torch's labels are then, or in a process without Python.
void startPython(Labels labels);

void setPythonEnabled(bool enabled, Labels labels);

/// The Python part's observe and module_id; COMMTAP_INVALID without one. With the GIL held.
int observePythonModules(void* before, void* after);
long idOfPythonModule(void* module);

/// What the Python object of a living tensor is; a plain one in a process without Python.
CommtapTensorClass classOfPythonTensor(void* tensor);

} // namespace commtap
