// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/command/torch_files.h"
#include "tools/doctor/diagnosis.h"

namespace commtap {

/// Returns the tracker that the stub `library` would load for a torch: built by this user for its whole version,
/// installed for its minor, or in a build folder; "" if there is none.
std::string findTracker(const std::string& library, const TorchFiles& torch);

/// Returns the Python part that the tracker would load for a build of Python such as "3.11"; "" if there is none.
std::string findPythonPart(const std::string& tracker, const std::string& python_build);

/// Returns whether the user has built a tracker for exactly this torch, and it may be loaded.
bool hasBuiltTracker(const TorchFiles& torch);

Diagnosis checkTracker(const std::string& library, const TorchFiles& torch);
Diagnosis checkPythonPart(const std::string& tracker, const std::string& python_build);

/// Checks that only trusted users can write to the files, by the rule of the stub. Leaves out paths that are "".
Diagnosis checkPermissions(const std::string& library, const std::vector<std::string>& files);

} // namespace commtap
