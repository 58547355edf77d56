// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "report/model/options.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// Returns which build of the Python part fits a text of Py_GetVersion(): "3.11", or "3.13t" for the free-threaded
/// build, whose objects have another layout. Returns "" for any other text.
std::string pythonBuildOf(const std::string& version);

struct PythonPartPlace {
  std::string path;
  std::string trusted; ///< a library of commtap: the part must be as hard to replace (commtap_load_refusal())
};

/// Returns where the part for a build of Python is: one for all trackers of an installation, next to their folder; in
/// the build tree next to the tracker. `tracker` is the tracker's absolute path.
PythonPartPlace pythonPartPlace(const std::string& tracker, const std::string& build);

/// Loads the Python part for this process's Python, if there is one; it installs the module hook. The caller holds the
/// GIL, as the thread that imports torch does. `labels` says what labels become.
void startPython(Labels labels);

void setPythonEnabled(bool enabled, Labels labels);

/// Call the Python part's observe and module_id. Return COMMTAP_INVALID without a Python part. The caller holds the
/// GIL.
int observePythonModules(void* before, void* after);
long idOfPythonModule(void* module);

/// Returns the class of a live tensor's Python object; kCommtapPlainTensor in a process without Python.
CommtapTensorClass classOfPythonTensor(void* tensor);

} // namespace commtap
