// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/diagnosis.h"

namespace commtap {

/// Returns the tracker that the stub `library` would load for a torch minor, installed or in a build folder; "" if
/// there is none.
std::string findTracker(const std::string& library, const std::string& torch_minor);

/// Returns the Python part that the tracker would load for a build of Python such as "3.11"; "" if there is none.
std::string findPythonPart(const std::string& tracker, const std::string& python_build);

Diagnosis checkTracker(const std::string& library, const std::string& torch_minor);
Diagnosis checkPythonPart(const std::string& tracker, const std::string& python_build);

/// Checks that only trusted users can write to the files, by the rule of the stub. Leaves out paths that are "".
Diagnosis checkPermissions(const std::string& library, const std::vector<std::string>& files);

} // namespace commtap
