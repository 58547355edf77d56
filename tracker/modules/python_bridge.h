// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/model/options.h"
#include "tracker/core/python_host.h"

namespace commtap {

/// Returns which build of the Python part fits a text of Py_GetVersion(): "3.11", or "3.13t" for the free-threaded
/// build, whose objects have another layout. Returns "" for any other text.
std::string pythonBuildOf(const std::string& version);

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

/// Sees that a parameter of a model was changed in place between two outermost calls of the model: the sign of a step
/// where no optimizer is seen. Looks for a parameter once per module, since that takes microseconds, and keeps no
/// tensor alive. The caller of every method holds the GIL.
class ParameterWatch {
 public:
  /// The Python part's trained_parameter.
  using FindParameter = void* (*)(void* module);

  /// The models whose parameters are watched: the first ones that have a parameter to train.
  static constexpr size_t kMostModels = 8;

  /// Notes that the outermost call of a module begins. `object` is the module's Python object. Ignores calls without
  /// gradients and calls that a backward makes. May throw.
  static void callBegins(uint32_t module, void* object, FindParameter find);
};

} // namespace commtap
